/* draw_grid.c: %%draw grid: the first wanted launch: its blocks, a block's threads, a warp, and one
 * thread. --block and --thread choose the thread; the default is the last one. */
#include "jupyter_kernel/magics/draw.h"

#include "runtime/draw/grid.h"

static const json_t *find_launch(const draw_call *d) {
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

bool draw_grid_show(draw_call *d) {
    const json_t *launch = find_launch(d);
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
    if (d->thread.at[0] >= g.block[0] || d->thread.at[1] >= g.block[1] ||
        d->thread.at[2] >= g.block[2])
        return draw_fails(
            d,
            _("There is no thread (%u, %u, %u): a block of %s has threads (0, 0, 0) to "
              "(%u, %u, %u)."),
            d->thread.at[0], d->thread.at[1], d->thread.at[2], g.kernel, g.block[0] - 1,
            g.block[1] - 1, g.block[2] - 1);
    WB_SCOPED uint32_t *came = came_of(launch, warps * ((threads + 31) / 32));
    wb_buf words = {0};
    g.came = came;
    draw_grid_words(&g, &words);
    return draw_show(d, draw_grid_svg(&g, words.data), &words);
}
