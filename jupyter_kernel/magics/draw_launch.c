/* draw_launch.c: %%draw lanes, block and grid: pictures of the first launch that has what the line
 * asks for. */
#include "jupyter_kernel/magics/draw.h"

#include "runtime/draw/block.h"
#include "runtime/draw/grid.h"
#include "runtime/draw/lanes.h"

/* ---- lanes: a warp's path through the source ---------------------------------------------------
 */

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

bool draw_lanes_show(draw_call *d) {
    const json_t *launch = draw_launch(d, "steps"), *record = json_object_get(launch, "record");
    size_t n = 0;
    WB_SCOPED char *kernel = wb_view_kernel(launch);
    draw_step *steps = launch && kernel ? steps_of(d, record, &n) : NULL;
    if (!steps)
        return draw_nothing(d);
    draw_lanes l = {.kernel = kernel,
                    .block = {d->block.at[0], d->block.at[1], d->block.at[2]},
                    .warp = d->warp,
                    .lanes = draw_warp_lanes(d, launch),
                    .steps = steps,
                    .n = n,
                    .left_out = (uint64_t)wb_field_int(record, "left_out")};
    wb_buf words = {0};
    draw_lanes_words(&l, &words);
    bool ok = draw_show(d, draw_lanes_svg(&l, words.data), &words);
    free_steps(steps, n);
    return ok;
}

/* ---- block: its warps over time, by the modelled clock of the GPU of %device -------------------
 */

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

/* ---- grid: its blocks, a block's threads, a warp, and one thread -------------------------------
 */

static const json_t *launch_with_block(const draw_call *d) {
    uint32_t grid[3];
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        draw_shape(launch, "grid", grid);
        if (draw_wanted(d, launch) && d->block.at[0] < grid[0] && d->block.at[1] < grid[1] &&
            d->block.at[2] < grid[2])
            return launch;
    }
    return NULL;
}

/* Expands "lanes warps lanes warps ..", in hexadecimal digits, into one value a warp of the grid.
 * The caller frees it. NULL: unknown. */
static uint32_t *came_of(const json_t *launch, uint64_t warps) {
    const char *at = json_string_value(json_object_get(json_object_get(launch, "record"), "came"));
    uint32_t *came = at ? calloc(warps + 1, sizeof *came) : NULL;
    for (uint64_t n = 0; came && *at && n < warps;) {
        char *end;
        uint32_t lanes = (uint32_t)strtoul(at, &end, 16);
        unsigned long long times = strtoull(end, &end, 16);
        for (; times && n < warps; times--)
            came[n++] = lanes;
        at = end + (*end == ' ');
    }
    return came;
}

/* --block and --thread choose the thread; the default is the last one. */
bool draw_grid_show(draw_call *d) {
    const json_t *launch = launch_with_block(d);
    WB_SCOPED char *kernel = wb_view_kernel(launch);
    draw_grid g = {.kernel = kernel ? kernel : ""};
    uint64_t warps = 1, threads = 1;
    draw_shape(launch, "grid", g.grid);
    draw_shape(launch, "block", g.block);
    for (int k = 0; k < 3; k++) {
        g.at_block[k] = d->block.said ? d->block.at[k] : g.grid[k] - 1;
        g.at_thread[k] = d->thread.said ? d->thread.at[k] : g.block[k] - 1;
        warps *= g.grid[k];
        threads *= g.block[k];
    }
    if (!draw_has_thread(d, g.block, g.kernel))
        return false;
    WB_SCOPED uint32_t *came = came_of(launch, warps * ((threads + 31) / 32));
    wb_buf words = {0};
    g.came = came;
    draw_grid_words(&g, &words);
    return draw_show(d, draw_grid_svg(&g, words.data), &words);
}
