#include "runtime/exec/view_launch.h"
#include "runtime/base/language.h"

#include "runtime/measure/stats.h"
#include "runtime/softgpu/engine.h"
#include "runtime/json/fields.h"

enum { SECTOR = 32, MAX_GROUPS = 256 };

/* Launches of one kernel with one configuration, or all that happened on one source line. */
typedef struct group {
    const json_t *first; /* a launch, or a line */
    const char *kernel;
    json_int_t calls;
    double seconds;
    bool counted;
    double load_requests, load_sectors, load_used;
    double store_requests, store_sectors, store_used;
    double shared_requests, shared_wavefronts; /* loads and stores */
    double adding_requests, adding_wavefronts; /* atomic operations on shared memory */
    double atomic_sectors;
    double branches, divergent, instructions, clocks;
    double threads, atomics, busiest; /* of one launch, the one with the most on one address */
} group;

static void add_counters(group *g, const json_t *c) {
    g->counted = true;
    g->load_requests += wb_field_number(c, "global_load_requests");
    g->load_sectors += wb_field_number(c, "global_load_sectors");
    g->load_used += wb_field_number(c, "global_load_used");
    g->store_requests += wb_field_number(c, "global_store_requests");
    g->store_sectors += wb_field_number(c, "global_store_sectors");
    g->store_used += wb_field_number(c, "global_store_used");
    g->shared_requests +=
        wb_field_number(c, "shared_load_requests") + wb_field_number(c, "shared_store_requests");
    g->shared_wavefronts += wb_field_number(c, "shared_load_wavefronts") +
                            wb_field_number(c, "shared_store_wavefronts");
    g->adding_requests += wb_field_number(c, "shared_atomic_requests");
    g->adding_wavefronts += wb_field_number(c, "shared_atomic_wavefronts");
    g->atomic_sectors += wb_field_number(c, "global_atomic_sectors");
    g->branches += wb_field_number(c, "branches");
    g->divergent += wb_field_number(c, "divergent_branches");
    g->instructions += wb_field_number(c, "warp_instructions");
    g->atomics += wb_field_number(c, "global_atomic_operations");
}

/* What is known of whole launches alone. */
static void add_launch(group *g, const json_t *c) {
    double busiest = wb_field_number(c, "busiest_address");
    add_counters(g, c);
    g->clocks += sg_model_clocks(wb_field_number(c, "warp_instructions"),
                                 wb_field_number(c, "longest_block"));
    if (busiest > g->busiest) {
        g->busiest = busiest;
        g->threads = wb_field_number(c, "threads");
    }
}

static bool same_launch(const json_t *a, const json_t *b) {
    static const char *const keys[] = {"symbol", "grid", "block", "dynamic_shared"};
    for (size_t i = 0; i < WB_COUNT(keys); i++) {
        const json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
        if (x != y && !json_equal(x, y))
            return false;
    }
    return true;
}

static bool same_line(const json_t *a, const json_t *b) {
    return wb_field_number(a, "line") == wb_field_number(b, "line") &&
           json_equal(json_object_get(a, "file"), json_object_get(b, "file"));
}

/* The group of `item`, of that kernel where one is given, made where there is none; NULL when there
 * are too many. */
static group *group_of(group *groups, size_t *n, const json_t *item, const char *kernel,
                       bool (*same)(const json_t *, const json_t *)) {
    for (size_t i = 0; i < *n; i++) {
        if (same(groups[i].first, item) && (!kernel || strcmp(groups[i].kernel, kernel) == 0))
            return &groups[i];
    }
    if (*n == MAX_GROUPS)
        return NULL;
    groups[*n] = (group){.first = item, .kernel = kernel};
    return &groups[(*n)++];
}

static size_t group_launches(const json_t *report, group *groups) {
    size_t n = 0, i;
    json_t *launch;
    json_array_foreach(json_object_get(report, "launches"), i, launch) {
        group *g = group_of(groups, &n, launch, NULL, same_launch);
        if (g == NULL)
            continue;
        g->kernel = json_string_value(json_object_get(launch, "kernel"));
        g->calls++;
        g->seconds += wb_field_number(launch, "seconds");
        if (json_object_get(launch, "counters") != NULL)
            add_launch(g, json_object_get(launch, "counters"));
    }
    return n;
}

/* Lines, apart for each kernel that came there: of a template each instance is one. */
static size_t group_lines(const json_t *report, group *groups) {
    size_t n = 0, i, j;
    json_t *launch, *line;
    json_array_foreach(json_object_get(report, "launches"), i, launch) {
        const char *kernel = json_string_value(json_object_get(launch, "kernel"));
        json_array_foreach(json_object_get(launch, "lines"), j, line) {
            group *g = group_of(groups, &n, line, kernel ? kernel : "?", same_line);
            if (g != NULL)
                add_counters(g, json_object_get(line, "counters"));
        }
    }
    return n;
}

/* ---- cells -------------------------------------------------------------------------------- */

/* A count is whole: "30", not "30.0". */
static const char *count_text(double value, char text[64]) {
    if (value >= 1000)
        return wb_stats_number(value, text, 64);
    snprintf(text, 64, "%.0f", value);
    return text;
}

static void count_cell(wb_table *t, double value) {
    char text[64];
    wb_table_cell(t, "%s", value > 0 ? count_text(value, text) : "-");
}

static void ratio_cell(wb_table *t, double a, double b) {
    if (b > 0)
        wb_table_cell(t, "%.2f", a / b);
    else
        wb_table_cell(t, "-");
}

static void percent_cell(wb_table *t, double a, double b) {
    if (b > 0)
        wb_table_cell(t, "%.3g %%", 100 * a / b);
    else
        wb_table_cell(t, "-");
}

static void dims_cell(wb_table *t, const json_t *dims) {
    json_int_t d[3] = {1, 1, 1};
    for (size_t i = 0; i < 3; i++)
        d[i] = json_integer_value(json_array_get(dims, i));
    if (dims == NULL)
        wb_table_cell(t, "-");
    else if (d[2] > 1)
        wb_table_cell(t, "%lld x %lld x %lld", d[0], d[1], d[2]);
    else if (d[1] > 1)
        wb_table_cell(t, "%lld x %lld", d[0], d[1]);
    else
        wb_table_cell(t, "%lld", d[0]);
}

static const char *file_name(const char *path) {
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? slash + 1 : path != NULL ? path : "?";
}

/* The kernel's name without its parameters: "void tiled<float, 32>". */
static void name_cell(wb_table *t, const char *kernel) {
    char text[80];
    const char *name = kernel != NULL ? kernel : "?";
    const char *end = strstr(name, "(reference)") != NULL ? NULL : strchr(name, '(');
    size_t len = end != NULL ? (size_t)(end - name) : strlen(name);
    if (strncmp(name, "void ", 5) == 0 && end != NULL) {
        name += 5;
        len -= 5;
    }
    if (len < 60)
        snprintf(text, sizeof text, "%.*s", (int)len, name);
    else
        snprintf(text, sizeof text, "%.57s...", name);
    wb_table_cell(t, "%s", text);
}

/* Columns that would be empty are left out: a notebook is not wide. */
typedef struct columns {
    bool counts, shared, atomics;
} columns;

static columns columns_of(const group *groups, size_t n) {
    columns c = {.counts = false};
    for (size_t i = 0; i < n; i++) {
        c.counts |= groups[i].counted;
        c.shared |= groups[i].shared_requests + groups[i].adding_requests > 0;
        c.atomics |= groups[i].atomics > 0;
    }
    return c;
}

static void traffic_columns(wb_table *t, columns c) {
    wb_table_column(t, "sectors/load", true);
    wb_table_column(t, "used", true);
    wb_table_column(t, "sectors/store", true);
    wb_table_column(t, "used", true);
    if (c.shared)
        wb_table_column(t, "passes/shared", true);
}

static void traffic_cells(wb_table *t, const group *g, columns c) {
    ratio_cell(t, g->load_sectors, g->load_requests);
    percent_cell(t, g->load_used, g->load_sectors * SECTOR);
    ratio_cell(t, g->store_sectors, g->store_requests);
    percent_cell(t, g->store_used, g->store_sectors * SECTOR);
    if (c.shared)
        ratio_cell(t, g->shared_wavefronts + g->adding_wavefronts,
                   g->shared_requests + g->adding_requests);
}

/* "4,096 (256)", 256 of them at one address. */
static void atomics_cell(wb_table *t, const group *g) {
    char all[64], most[64];
    if (g->atomics > 0)
        wb_table_cell(t, "%s (%s)", count_text(g->atomics, all), count_text(g->busiest, most));
    else
        wb_table_cell(t, "-");
}

/* ---- the tables --------------------------------------------------------------------------- */

wb_table *wb_view_launches(const json_t *report) {
    group *groups = calloc(MAX_GROUPS, sizeof *groups);
    size_t n = groups != NULL ? group_launches(report, groups) : 0;
    columns c = columns_of(groups, n);
    wb_table *t = n > 0 ? wb_table_new() : NULL;
    wb_table_column(t, "kernel", false);
    wb_table_column(t, "launches", true);
    wb_table_column(t, "grid", true);
    wb_table_column(t, "block", true);
    wb_table_column(t, "CPU time", true);
    if (c.counts) {
        traffic_columns(t, c);
        wb_table_column(t, "divergent", true);
        wb_table_column(t, "warp instructions", true);
        wb_table_column(t, "warps at once", true);
    }
    if (c.atomics)
        wb_table_column(t, "atomics (at one address)", true);
    for (size_t i = 0; i < n; i++) {
        char time[64];
        const group *g = &groups[i];
        wb_table_row(t, false);
        name_cell(t, g->kernel);
        wb_table_cell(t, "%lld", g->calls);
        dims_cell(t, json_object_get(g->first, "grid"));
        dims_cell(t, json_object_get(g->first, "block"));
        wb_table_cell(t, "%s", wb_stats_seconds(g->seconds, time, sizeof time));
        if (!g->counted)
            continue;
        traffic_cells(t, g, c);
        percent_cell(t, g->divergent, g->branches);
        count_cell(t, g->instructions);
        ratio_cell(t, g->instructions, g->clocks);
        if (c.atomics)
            atomics_cell(t, g);
    }
    free(groups);
    return t;
}

static double sectors_of(const group *g) {
    return g->load_sectors + g->store_sectors + g->atomic_sectors;
}

static int by_sectors(const void *a, const void *b) {
    const group *x = a, *y = b;
    double p = sectors_of(x) + x->shared_wavefronts + x->adding_wavefronts;
    double q = sectors_of(y) + y->shared_wavefronts + y->adding_wavefronts;
    return p < q ? 1 : p > q ? -1 : 0;
}

/* Do several kernels share one of the lines? */
static bool lines_are_shared(const group *groups, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (same_line(groups[i].first, groups[k].first))
                return true;
    return false;
}

/* What is left of the width beside a table's other columns. */
static size_t room_for_text(columns c, bool named, size_t width) {
    size_t others = 14 + 2 * (14 + 9) + (c.shared ? 15 : 0) + 12 + (named ? 20 : 0);
    return width > others + 20 ? width - others : 20;
}

static void text_cell(wb_table *t, const json_t *line, size_t room) {
    const char *quoted = json_string_value(json_object_get(line, "text"));
    char *text = quoted ? view_trimmed(quoted) : NULL,
         *some = text ? wb_utf8_cut(text, room) : NULL;
    wb_table_cell(t, "%s", some ? some : "");
    wb_table_code(t);
    WB_FREE(text, some);
}

wb_table *wb_view_lines(const json_t *report, size_t max, size_t width) {
    group *groups = calloc(MAX_GROUPS, sizeof *groups);
    size_t n = groups != NULL ? group_lines(report, groups) : 0;
    qsort(groups, n, sizeof *groups, by_sectors);
    columns c = columns_of(groups, n < max ? n : max);
    bool named = lines_are_shared(groups, n < max ? n : max);
    char said[64];
    wb_table *t = NULL;
    for (size_t i = 0; i < n && i < max; i++) {
        const group *g = &groups[i];
        if (sectors_of(g) + g->shared_requests + g->adding_requests == 0)
            break;
        if (t == NULL) {
            t = wb_table_new();
            wb_table_column(t, "line", false);
            if (named)
                wb_table_column(t, "kernel", false);
            wb_table_column(t, "source", false);
            traffic_columns(t, c);
            wb_table_column(t, "sectors", true);
        }
        wb_table_row(t, false);
        const char *file = file_name(json_string_value(json_object_get(g->first, "file")));
        wb_table_cell(t, "%s:%d", wb_language_file(file, said, sizeof said),
                      (int)wb_field_number(g->first, "line"));
        if (named)
            name_cell(t, g->kernel);
        text_cell(t, g->first, room_for_text(c, named, width));
        traffic_cells(t, g, c);
        count_cell(t, sectors_of(g));
    }
    free(groups);
    return t;
}

/* ---- words -------------------------------------------------------------------------------- */

void wb_view_words(wb_buf *out) {
    wb_buf_printf(
        out,
        "A request is one load or store of a whole warp, a sector 32 bytes: 32 threads that read "
        "neighbouring floats need 4 sectors a request, 32 mean that each thread drags in a sector "
        "of its own. A pass is one turn of the 32 banks of shared memory: more than 1 an access of "
        "4 bytes is a bank conflict. Warps at once are those that a GPU of %d multiprocessors "
        "would have at work on the average; it can serve %d. Instructions are PTX's.",
        SG_MODEL_SMS, SG_MODEL_WARPS);
}

static void hint(const group *g, wb_buf *out) {
    const char *name = g->kernel != NULL ? g->kernel : "?";
    int len = (int)strcspn(name, "(");
    /* One sector is the least that a request can move, however little it wants. */
    bool half = g->load_used < 0.5 * g->load_sectors * SECTOR;
    if (g->load_sectors > g->load_requests && half && g->load_sectors < 2 * g->load_requests)
        wb_buf_printf(out,
                      "%.*s: loads use %.3g %% of the bytes they move (%.1f sectors a request): "
                      "few lanes ask, or all of them for the same numbers. What all lanes read at "
                      "once belongs in the kernel's arguments, or in __constant__ memory that is "
                      "declared in the kernel's own cell.\n",
                      len, name, 100 * g->load_used / (g->load_sectors * SECTOR),
                      g->load_sectors / g->load_requests);
    else if (g->load_sectors > g->load_requests && half)
        wb_buf_printf(out,
                      "%.*s: loads use %.3g %% of the bytes they move (%.1f sectors a request); "
                      "threads side by side should read addresses side by side.\n",
                      len, name, 100 * g->load_used / (g->load_sectors * SECTOR),
                      g->load_sectors / g->load_requests);
    if (g->store_sectors > g->store_requests && g->store_used < 0.5 * g->store_sectors * SECTOR)
        wb_buf_printf(out,
                      "%.*s: stores use %.3g %% of the bytes they move (%.1f sectors a request); "
                      "threads side by side should write addresses side by side.\n",
                      len, name, 100 * g->store_used / (g->store_sectors * SECTOR),
                      g->store_sectors / g->store_requests);
    if (g->shared_requests > 0 && g->shared_wavefronts > 2 * g->shared_requests)
        wb_buf_printf(out,
                      "%.*s: shared memory takes %.1f passes a request: lanes of a warp meet in "
                      "one bank; a padded row, [N][N + 1], often keeps them apart.\n",
                      len, name, g->shared_wavefronts / g->shared_requests);
    if (g->adding_requests > 0 && g->adding_wavefronts > 2 * g->adding_requests)
        wb_buf_printf(out,
                      "%.*s: an atomic operation on shared memory takes %.1f passes: lanes of a "
                      "warp meet at one address or in one bank; a copy for each lane, side by "
                      "side, keeps them apart, or let a warp add up first.\n",
                      len, name, g->adding_wavefronts / g->adding_requests);
    if (g->busiest > 1000 && 40 * g->busiest > g->threads)
        wb_buf_printf(out,
                      "%.*s: %.0f atomic operations meet at one address and run one after the "
                      "other; add in registers and shared memory first, then once a block.\n",
                      len, name, g->busiest);
    if (g->branches > 0 && g->divergent > 0.25 * g->branches)
        wb_buf_printf(out,
                      "%.*s: %.0f %% of the branches split a warp; its halves run one after the "
                      "other.\n",
                      len, name, 100 * g->divergent / g->branches);
}

void wb_view_hints(const json_t *report, wb_buf *out) {
    group *groups = calloc(MAX_GROUPS, sizeof *groups);
    size_t n = groups != NULL ? group_launches(report, groups) : 0;
    for (size_t i = 0; i < n; i++)
        hint(&groups[i], out);
    free(groups);
}

static void put_error(const json_t *error, wb_buf *out) {
    wb_buf_printf(out, "%s gave %s: %s\n", wb_field_text(error, "call"),
                  wb_field_text(error, "error"), wb_field_text(error, "text"));
}

void wb_view_answered(const json_t *report, wb_buf *out) {
    const json_t *answered = json_object_get(report, "answered");
    if (json_is_object(answered) && !json_is_string(json_object_get(answered, "refused")) &&
        !json_is_object(json_object_get(report, "fault")) &&
        !json_is_object(json_object_get(report, "unchecked")))
        put_error(answered, out);
}

/* Shows the fault, or else the error that the program did not look at. */
static void wb_view_problems(const json_t *report, wb_buf *out) {
    const json_t *fault = json_object_get(report, "fault");
    const json_t *unchecked = json_object_get(report, "unchecked");
    if (json_is_object(fault))
        wb_buf_printf(out, "%s: %s\n", wb_field_text(fault, "error"), wb_field_text(fault, "text"));
    else if (json_is_object(unchecked) &&
             strcmp(wb_field_text(unchecked, "call"), "host code") == 0)
        wb_buf_printf(out, "%s\n", wb_field_text(unchecked, "text"));
    else if (json_is_object(unchecked) && !json_is_string(json_object_get(unchecked, "refused")))
        put_error(unchecked, out);
    size_t i;
    const json_t *refused;
    json_array_foreach(json_object_get(report, "refused"), i, refused)
        wb_buf_printf(out, "warpbook: %s\n", wb_field_text(refused, "text"));
}

static void put_table(wb_table *t, wb_buf *out) {
    char *text = t != NULL ? wb_table_text(t) : NULL;
    if (text != NULL)
        wb_buf_printf(out, "\n%s", text);
    free(text);
    wb_table_free(t);
}

void wb_view_report(const json_t *report, bool counters, size_t width, wb_buf *out) {
    wb_view_problems(report, out);
    wb_view_models(report, width, out);
    if (!counters)
        return;
    enum { MAX_LINES = 12 };
    json_int_t dropped = json_integer_value(json_object_get(report, "dropped"));
    put_table(wb_view_launches(report), out);
    put_table(wb_view_lines(report, MAX_LINES, width), out);
    if (dropped > 0)
        wb_buf_printf(out, "(%lld later launches are not in the table)\n", dropped);
    wb_buf_puts(out,
                wb_tr("\nFor each load, store and access to shared memory by a warp: the sectors "
                      "of 32 bytes it moves (\"used\": how much of them the threads asked for) and "
                      "the passes over the banks. Warps at once: how many a GPU of 132 "
                      "multiprocessors would serve in a clock, on the average; 528 at most.\n"));
    wb_view_hints(report, out);
}
