/* draw_block.c: %%draw block: the warps of a block over time, by the modelled clock of the GPU of
 * %device. It draws the first launch that has the block. */
#include "jupyter_kernel/magics/draw.h"

#include "runtime/draw/block.h"

/* Parses the spans. The caller frees them. NULL when memory runs out. */
static draw_span *spans_of(const char *text, size_t *n) {
    size_t room = strlen(text) / 10 + 1; /* each span has five numbers, each with a blank */
    draw_span *spans = calloc(room, sizeof *spans);
    for (*n = 0; spans && *text && *n < room; (*n)++) {
        unsigned long part[5];
        for (size_t i = 0; i < WB_COUNT(part); i++) {
            char *end;
            part[i] = strtoul(text, &end, 16);
            text = end + (*end == ' ');
        }
        spans[*n] = (draw_span){(uint32_t)part[0], (uint32_t)part[1], (uint32_t)part[2],
                                part[3] < DRAW_DOINGS ? (draw_doing)part[3] : DRAW_SLEEP,
                                (uint32_t)part[4]};
    }
    return spans;
}

bool draw_block_show(draw_call *d) {
    const json_t *launch = draw_launch(d, "spans"), *record = json_object_get(launch, "record"),
                 *model = json_object_get(launch, "model");
    const char *gpu = json_string_value(json_object_get(model, "title"));
    if (!launch)
        return draw_fails(d, _("Block (%u, %u, %u) did nothing that takes a clock of the GPU's."),
                          d->block.at[0], d->block.at[1], d->block.at[2]);
    size_t n = 0;
    WB_SCOPED char *kernel = wb_view_kernel(launch);
    WB_SCOPED draw_span *spans = spans_of(wb_field_text(record, "spans"), &n);
    uint32_t shape[3];
    draw_shape(launch, "block", shape);
    draw_block b = {.kernel = kernel ? kernel : "",
                    .gpu = gpu ? gpu : "NVIDIA GPU",
                    .block = {d->block.at[0], d->block.at[1], d->block.at[2]},
                    .warps = (shape[0] * shape[1] * shape[2] + 31) / 32,
                    .spans = spans,
                    .n = n,
                    .left_out = (uint64_t)wb_field_int(record, "left_out")};
    wb_buf words = {0};
    if (spans)
        draw_block_words(&b, &words);
    return draw_show(d, spans ? draw_block_svg(&b, words.data) : NULL, &words);
}
