/* texts.c: see texts.h. */
#include "runtime/compile/direct/texts.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/words.h"

/* Reads the name in an #include line. Returns false if the line is none. */
static bool included(const wb_token *t, const char **name, size_t *n) {
    const char *p = t->at + 1, *end = t->at + t->len;
    p += strspn(p, " \t");
    if (t->kind != WB_TOKEN_DIRECTIVE || strncmp(p, "include", 7) != 0)
        return false;
    p += 7 + strspn(p + 7, " \t");
    const char *close = p < end && (*p == '<' || *p == '"')
                            ? memchr(p + 1, *p == '<' ? '>' : '"', (size_t)(end - p - 1))
                            : NULL;
    *name = p + 1;
    *n = close ? (size_t)(close - p - 1) : 0;
    return close != NULL;
}

static bool begins(const char *name, size_t n, const char *with) {
    return n >= strlen(with) && memcmp(name, with, strlen(with)) == 0;
}

/* Returns true for headers of CUDA that only nvcc is known to compile. */
static bool needs_nvcc(const char *name, size_t n) {
    if (begins(name, n, "cub/block/") || begins(name, n, "cub/warp/"))
        return false;
    if (wb_word_among(name, n,
                      "cuda_runtime.h cuda_runtime_api.h cuda.h cuda_fp16.h cuda_bf16.h "
                      "cuda_fp8.h"))
        return false;
    return begins(name, n, "thrust/") || begins(name, n, "cub/") || begins(name, n, "cuda") ||
           begins(name, n, "nv/") || begins(name, n, "cooperative_groups/");
}

/* Takes the head: the leading #include and #line lines. */
static size_t take_head(const wb_parts *parts, wb_texts *texts, wb_unfit *unfit) {
    wb_buf head = {0};
    size_t i = 0;
    bool in_head = true;
    const char *name;
    size_t n, behind = 0;
    for (; i < parts->n && *unfit == WB_FITS; i++) {
        const wb_token *t = &parts->tokens.v[parts->v[i].first];
        bool include = included(t, &name, &n);
        bool place = t->kind == WB_TOKEN_DIRECTIVE && memmem(t->at, t->len, "line", 4);
        in_head &= include || place;
        if (include && in_head) {
            wb_buf_printf(&head, "%.*s\n", (int)t->len, t->at);
            behind = i + 1;
        }
        if (include)
            *unfit = needs_nvcc(name, n) ? WB_UNFIT_HEADER : WB_FITS;
    }
    texts->head = wb_buf_steal(&head);
    return behind;
}

static void keep_instances(wb_word_set *instances, wb_texts *texts) {
    texts->instances = calloc(instances->n + 1, sizeof *texts->instances);
    for (size_t i = 0; i < instances->cap; i++) {
        wb_token *t = (wb_token *)instances->v[i];
        if (t && texts->instances)
            texts->instances[texts->n_instances++] = wb_format("%.*s", (int)t->len, t->at);
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
    if (!texts->host || !texts->head || !texts->instances)
        unfit = unfit == WB_FITS ? WB_UNFIT_SYNTAX : unfit;
    wb_parts_free(&parts);
    return unfit;
}

void wb_texts_free(wb_texts *texts) {
    for (size_t i = 0; i < texts->n_instances; i++)
        free(texts->instances[i]);
    WB_FREE(texts->instances, texts->head, texts->host, texts->device);
    *texts = (wb_texts){.head = NULL};
}
