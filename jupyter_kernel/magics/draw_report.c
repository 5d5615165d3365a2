/* draw_report.c: reads softgpu's report for the pictures of %%draw, and shows them. */
#include "jupyter_kernel/magics/draw.h"
#include "runtime/base/language.h"
#include "runtime/base/words.h"

#include "runtime/canvas/canvas.h"

bool draw_fails(const draw_call *d, const char *format, ...) {
    WB_SCOPED char *text = WB_FORMATTED(format);
    return execution_fail(d->call->x, "UsageError", "%s", text ? text : "");
}

bool draw_wanted(const draw_call *d, const json_t *launch) {
    WB_SCOPED char *name = wb_view_kernel(launch);
    if (!name || !json_object_get(launch, "grid")) /* a library's launch */
        return false;
    name[strcspn(name, "<")] = '\0';
    return !d->kernel || strcmp(d->kernel, wb_word_last(name)) == 0 || strcmp(d->kernel, name) == 0;
}

void draw_shape(const json_t *launch, const char *key, uint32_t shape[3]) {
    for (size_t k = 0; k < 3; k++)
        shape[k] = (uint32_t)json_integer_value(json_array_get(json_object_get(launch, key), k));
}

bool draw_nothing(const draw_call *d) {
    return draw_fails(d, _("Warp %u of block (%u, %u, %u) ran nothing that can be drawn."), d->warp,
                      d->block.at[0], d->block.at[1], d->block.at[2]);
}

uint64_t draw_block_threads(const json_t *launch) {
    uint32_t block[3];
    draw_shape(launch, "block", block);
    return (uint64_t)block[0] * block[1] * block[2];
}

uint32_t draw_warp_lanes(const draw_call *d, const json_t *launch) {
    uint64_t threads = draw_block_threads(launch), before = 32ull * d->warp;
    return threads <= before ? 0 : threads - before < 32 ? (uint32_t)(threads - before) : 32;
}

char *draw_source(const json_t *report, const char *file, int line) {
    const char *at =
        file ? json_string_value(json_object_get(json_object_get(report, "sources"), file)) : NULL;
    size_t len;
    if (!(at = wb_text_line(at, line, &len)))
        return NULL;
    at += strspn(at, " \t");
    return strndup(at, strcspn(at, "\n"));
}

char *draw_place(const char *file, int line) {
    if (!file || line == 0)
        return strdup(_("a line that is not known"));
    char said[64];
    return wb_format(_("%s, line %d"), wb_language_file(wb_path_name(file), said, sizeof said),
                     line);
}

bool draw_show(draw_call *d, char *svg, wb_buf *words) {
    char *text = wb_buf_steal(words);
    if (!svg) {
        free(text);
        return execution_fail(d->call->x, "MemoryError", _("out of memory"));
    }
    execution_display(d->call->x, draw_bundle(svg, NULL, text), NULL, false);
    return true;
}

const json_t *draw_launch(const draw_call *d, const char *key) {
    const json_t *found = NULL;
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        if ((!found || d->figure) && draw_wanted(d, launch) &&
            json_object_get(json_object_get(launch, "record"), key))
            found = launch;
    }
    return found;
}
