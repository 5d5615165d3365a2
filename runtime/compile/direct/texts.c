/* texts.c: see texts.h. */
#include "runtime/compile/direct/texts.h"

#include "runtime/base/words.h"

/* Returns true for headers of CUDA that only nvcc is known to compile. */
static bool needs_nvcc(const char *name, size_t n) {
    if (wb_begins(name, "cub/block/") || wb_begins(name, "cub/warp/"))
        return false;
    if (wb_word_among(name, n,
                      "cuda_runtime.h cuda_runtime_api.h cuda.h cuda_fp16.h cuda_bf16.h "
                      "cuda_fp8.h"))
        return false;
    return wb_begins(name, "thrust/") || wb_begins(name, "cub/") || wb_begins(name, "cuda") ||
           wb_begins(name, "nv/") || wb_begins(name, "cooperative_groups/");
}

/* Takes the head: the leading #include and #line lines. */
static size_t take_head(const wb_parts *parts, wb_texts *texts, wb_unfit *unfit) {
    wb_buf head = {0};
    size_t i = 0;
    bool in_head = true;
    size_t n, behind = 0;
    for (; i < parts->n && *unfit == WB_FITS; i++) {
        const wb_token *t = &parts->tokens.v[parts->v[i].first];
        bool directive = t->kind == WB_TOKEN_DIRECTIVE;
        const char *file = directive ? wb_word_included(t->at, &n) : NULL;
        in_head &= file || (directive && memmem(t->at, t->len, "line", 4));
        if (file && in_head) {
            wb_buf_printf(&head, "%.*s\n", (int)t->len, t->at);
            behind = i + 1;
        }
        if (file && needs_nvcc(file, n))
            *unfit = WB_UNFIT_HEADER;
    }
    texts->head = wb_buf_steal(&head);
    return behind;
}

static void keep_instances(wb_word_set *instances, wb_texts *texts) {
    for (size_t i = 0; i < instances->cap; i++) {
        wb_token *t = (wb_token *)instances->v[i];
        if (t)
            wb_strings_own(&texts->instances, wb_format("%.*s", (int)t->len, t->at));
        free(t);
    }
    wb_word_set_free(instances);
}

wb_unfit wb_texts_make(const char *unit, wb_texts *texts) {
    *texts = (wb_texts){.head = NULL};
    wb_parts parts;
    wb_word_set instances = {.v = NULL};
    wb_buf host = {0}, device = {0};
    wb_unfit unfit = wb_parts_read(unit, &parts);
    if (strstr(unit, "__wb_aside")) /* g++ accepts these names in a cell, nvcc does not */
        unfit = WB_UNFIT_NAME;
    size_t from = unfit == WB_FITS ? take_head(&parts, texts, &unfit) : 0;
    if (unfit == WB_FITS)
        unfit = wb_host_text(&parts, from, &host, &instances);
    if (unfit == WB_FITS)
        unfit = wb_device_text(&parts, &instances, &device);
    keep_instances(&instances, texts);
    if (device.len)
        wb_buf_puts(&host, "WB_DIRECT_REGISTER\n");
    texts->host = wb_buf_steal(&host);
    texts->device = device.len ? wb_buf_steal(&device) : NULL;
    if (!texts->host || !texts->head || texts->instances.failed)
        unfit = unfit == WB_FITS ? WB_UNFIT_SYNTAX : unfit;
    wb_parts_free(&parts);
    return unfit;
}

void wb_texts_free(wb_texts *texts) {
    wb_strings_free(&texts->instances);
    WB_FREE(texts->head, texts->host, texts->device);
    *texts = (wb_texts){.head = NULL};
}
