/* draw_lanes.c: %%draw lanes: a warp's path through the source, in the first launch that has it. */
#include "jupyter_kernel/magics/draw.h"

#include "runtime/draw/lanes.h"

static json_int_t number_at(const json_t *list, size_t i) {
    return json_integer_value(json_array_get(list, i));
}

/* Returns the file with most steps. Its lines are shown without a file name. */
static size_t main_file(const json_t *steps, size_t n_files) {
    size_t best = 0, most = 0;
    for (size_t file = 0; file < n_files; file++) {
        size_t n = 0;
        for (size_t k = 0; k < json_array_size(steps); k += 4)
            n += (size_t)number_at(steps, k) == file;
        if (n > most) {
            best = file;
            most = n;
        }
    }
    return best;
}

static void free_steps(draw_step *steps, size_t n) {
    for (size_t k = 0; steps && k < n; k++)
        WB_FREE((char *)steps[k].place, (char *)steps[k].source);
    free(steps);
}

/* Reads the steps. The caller frees them. NULL when memory runs out. */
static draw_step *steps_of(const draw_call *d, const json_t *record, size_t *n) {
    const json_t *list = json_object_get(record, "steps"),
                 *files = json_object_get(record, "files");
    size_t own = main_file(list, json_array_size(files));
    *n = json_array_size(list) / 4;
    draw_step *steps = calloc(*n + 1, sizeof *steps);
    for (size_t k = 0; steps && k < *n; k++) {
        size_t file = (size_t)number_at(list, 4 * k);
        int line = (int)number_at(list, 4 * k + 1);
        const char *path = json_string_value(json_array_get(files, file));
        const char *name = wb_path_name(path);
        steps[k] =
            (draw_step){.place = line == 0     ? strdup("no line")
                                 : file == own ? wb_format(_("line %d"), line)
                                               : wb_format("%.8s:%d", name ? name : "?", line),
                        .source = draw_source(d->report, path, line),
                        .mask = (uint32_t)number_at(list, 4 * k + 2),
                        .instructions = (uint32_t)number_at(list, 4 * k + 3)};
        if (!steps[k].place) {
            free_steps(steps, k + 1);
            return NULL;
        }
    }
    return steps;
}

/* Returns how many lanes the warp has. A block's last warp may have fewer than 32. */
static uint32_t lanes_of(const draw_call *d, const json_t *launch) {
    const json_t *block = json_object_get(launch, "block");
    json_int_t threads =
        number_at(block, 0) * number_at(block, 1) * number_at(block, 2) - (json_int_t)d->warp * 32;
    return threads > 32 ? 32 : threads < 0 ? 0 : (uint32_t)threads;
}

bool draw_lanes_show(draw_call *d) {
    const json_t *launch = draw_launch(d, "steps"), *record = json_object_get(launch, "record");
    size_t n = 0;
    WB_SCOPED char *kernel = wb_view_kernel(launch);
    draw_step *steps = launch && kernel ? steps_of(d, record, &n) : NULL;
    if (!steps)
        return draw_fails(d, _("Warp %u of block (%u, %u, %u) ran nothing that can be drawn."),
                          d->warp, d->block.at[0], d->block.at[1], d->block.at[2]);
    draw_lanes l = {.kernel = kernel,
                    .block = {d->block.at[0], d->block.at[1], d->block.at[2]},
                    .warp = d->warp,
                    .lanes = lanes_of(d, launch),
                    .steps = steps,
                    .n = n,
                    .left_out = (uint64_t)wb_field_int(record, "left_out")};
    wb_buf words = {0};
    draw_lanes_words(&l, &words);
    bool ok = draw_show(d, draw_lanes_svg(&l, words.data), &words);
    free_steps(steps, n);
    return ok;
}
