/* magics_check.c: magics that watch kernels while they run: %%counters %%memcheck %%racecheck. The
 * report they read is softgpu's (runtime/softgpu/softgpu.h). */
#include "jupyter_kernel/magics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/cell.h"
#include "jupyter_kernel/table.h"

static bool run_body(magic_call *c, wb_cell cell, wb_result *result) {
    char *code = cell_placed(c->body, c->body_len, c->line + 1);
    *result = (wb_result){0};
    if (!code)
        return execution_fail(c->x, "MemoryError", "out of memory");
    cell.code = code;
    cell.len = strlen(code);
    bool ok = execution_run(c->x, &cell, result);
    free(code);
    return ok;
}

static bool empty_body(magic_call *c) {
    return c->body[strspn(c->body, " \t\r\n")] == '\0';
}

/* ---- %%counters --------------------------------------------------------------------------- */

static double count(const json_t *counters, const char *name) {
    return json_number_value(json_object_get(counters, name));
}

static void grouped(double value, char *out, size_t size) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.0f", value);
    size_t n = strlen(digits), k = 0;
    for (size_t i = 0; i < n && k + 2 < size; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = '\0';
}

/* "1,048,576", and how many `per` of each ("4.0 per request"); "-" when there were none. */
static void add_cell(json_t *row, double value) {
    char text[48] = "-";
    if (value > 0)
        grouped(value, text, sizeof text);
    json_array_append_new(row, json_string(text));
}

static void add_ratio(json_t *row, double part, double whole, const char *format) {
    json_array_append_new(row, whole > 0 ? json_sprintf(format, part / whole) : json_string("-"));
}

/* What the launch is called in a row: its kernel and its configuration. */
static json_t *launch_title(const json_t *launch) {
    const char *kernel = json_string_value(json_object_get(launch, "kernel"));
    const json_t *g = json_object_get(launch, "grid"), *b = json_object_get(launch, "block");
    char text[400];
    int name = kernel ? (int)strcspn(kernel, "(") : 0;
#define AT(a, i) ((int)json_integer_value(json_array_get(a, i)))
    snprintf(text, sizeof text, "%.*s <<<%dx%dx%d, %dx%dx%d>>>", name > 200 ? 200 : name,
             kernel ? kernel : "", AT(g, 0), AT(g, 1), AT(g, 2), AT(b, 0), AT(b, 1), AT(b, 2));
#undef AT
    return json_string(text);
}

static json_t *counter_row(json_t *title, const json_t *c) {
    json_t *row = json_array();
    json_array_append_new(row, title);
    double lr = count(c, "global_load_requests"), ls = count(c, "global_load_sectors");
    double sr = count(c, "global_store_requests"), ss = count(c, "global_store_sectors");
    double wanted = count(c, "global_load_bytes") + count(c, "global_store_bytes");
    add_cell(row, lr);
    add_ratio(row, ls, lr, "%.2f");
    add_cell(row, sr);
    add_ratio(row, ss, sr, "%.2f");
    add_ratio(row, 100 * wanted, 32 * (ls + ss), "%.0f %%");
    double shr = count(c, "shared_load_requests") + count(c, "shared_store_requests");
    double shw = count(c, "shared_load_wavefronts") + count(c, "shared_store_wavefronts");
    add_cell(row, shr);
    add_ratio(row, shw, shr, "%.2f");
    add_ratio(row, 100 * count(c, "divergent_branches"), count(c, "branches"), "%.0f %%");
    add_cell(row, count(c, "warp_instructions"));
    return row;
}

static json_t *counter_titles(const char *first) {
    return json_pack("[s, s, s, s, s, s, s, s, s, s]", first, "global loads", "sectors/request",
                     "global stores", "sectors/request", "bytes used", "shared accesses",
                     "wavefronts/access", "divergent branches", "warp instructions");
}

static const char counter_words[] =
    "A request is one load or store of a whole warp, a sector 32 bytes. 32 threads that read\n"
    "neighbouring floats need 4 sectors a request; 32 means each thread drags in a sector of its\n"
    "own. \"bytes used\" is what the threads asked for over what memory moved. A wavefront is one\n"
    "pass over the 32 banks of shared memory: 1.00 is free of conflicts (for accesses of 4 "
    "bytes).\n"
    "Instructions are PTX's.";

static void show_lines(magic_call *c, const json_t *launch) {
    const json_t *lines = json_object_get(launch, "lines"), *line;
    if (json_array_size(lines) == 0)
        return;
    json_t *rows = json_array(), *titles = counter_titles("line");
    size_t i;
    json_array_foreach(lines, i, line) {
        json_t *name = json_sprintf("%d", (int)json_integer_value(json_object_get(line, "line")));
        json_array_append_new(rows, counter_row(name, json_object_get(line, "counters")));
    }
    json_t *title = launch_title(launch);
    execution_display(c->x, table_bundle(titles, rows, "rrrrrrrrrr", json_string_value(title), ""),
                      NULL, false);
    json_decref(title);
    json_decref(titles);
    json_decref(rows);
}

static void show_counters(magic_call *c, const json_t *report, bool by_line) {
    const json_t *launches = json_object_get(report, "launches"), *launch;
    json_t *rows = json_array(), *titles = counter_titles("kernel");
    size_t i;
    json_array_foreach(launches, i, launch) json_array_append_new(
        rows, counter_row(launch_title(launch), json_object_get(launch, "counters")));
    if (json_array_size(rows) > 0)
        execution_display(c->x, table_bundle(titles, rows, "lrrrrrrrrr", "", counter_words), NULL,
                          false);
    else
        execution_printf(c->x, "no kernel was launched\n");
    json_int_t dropped = json_integer_value(json_object_get(report, "dropped"));
    if (dropped > 0)
        execution_printf(c->x, "%" JSON_INTEGER_FORMAT " more launches are not listed\n", dropped);
    if (by_line)
        json_array_foreach(launches, i, launch) show_lines(c, launch);
    json_decref(rows);
    json_decref(titles);
}

bool magic_counters(magic_call *c) {
    bool lines = c->n_words == 1 && strcmp(c->words[0], "--lines") == 0;
    if (c->n_words > (lines ? 1 : 0))
        return magics_misuse(c, "'%s' is no option", c->args);
    if (empty_body(c))
        return magics_misuse(c, "the cell is empty");
    wb_result result;
    bool ok = run_body(c, (wb_cell){.counters = true, .lines = lines}, &result);
    if (result.report)
        show_counters(c, result.report, lines);
    else if (ok)
        execution_printf(c->x, "nothing was counted: softgpu counts, this device does not "
                               "(`%%device soft` changes to it)\n");
    wb_result_free(&result);
    return ok;
}

/* ---- %%memcheck, %%racecheck --------------------------------------------------------------- */

static bool check(magic_call *c, wb_cell cell, const char *what) {
    if (c->n_words > 0)
        return magics_misuse(c, "'%s': it takes nothing", c->args);
    if (empty_body(c))
        return magics_misuse(c, "the cell is empty");
    wb_result result;
    bool ok = run_body(c, cell, &result);
    size_t launches = json_array_size(json_object_get(result.report, "launches"));
    if (ok && result.report)
        execution_printf(c->x, "%s: nothing found in %zu kernel launch%s\n", what, launches,
                         launches == 1 ? "" : "es");
    else if (ok)
        execution_printf(c->x,
                         "%s: softgpu checks, this device does not (`%%device soft` changes "
                         "to it)\n",
                         what);
    wb_result_free(&result);
    return ok;
}

bool magic_memcheck(magic_call *c) {
    return check(c, (wb_cell){.memcheck = true, .initcheck = true}, "memcheck");
}

bool magic_racecheck(magic_call *c) {
    return check(c, (wb_cell){.racecheck = true}, "racecheck");
}
