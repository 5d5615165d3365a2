/* draw.c: %%draw: pictures of what the cell's kernels did. softgpu records the wished data while
 * the cell runs (wb_cell.record), and runtime/draw draws it. */
#include "jupyter_kernel/magics/draw.h"

#include <ctype.h>
#include <errno.h>

static const char *const kinds[DRAW_KINDS] = {"access", "map", "lanes", "block", "grid", "values"};

/* ---- reading the line ---------------------------------------------------------------------- */

/* Reads a whole number. Returns the place after it, or NULL. */
static const char *read_number(const char *text, uint64_t most, uint64_t *value) {
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || errno || n > most)
        return NULL;
    *value = n;
    return end;
}

bool draw_read_spot(const char *text, void *target) {
    draw_spot *place = target;
    for (int k = 0; k < 3; k++) {
        uint64_t value = 0;
        text = read_number(text, UINT32_MAX, &value);
        place->at[k] = (uint32_t)value;
        if (text && *text == '\0')
            return place->said = true;
        if (!text || *text++ != ',')
            break;
    }
    return false;
}

json_t *draw_spot_json(const draw_spot *s) {
    return json_pack("[I, I, I]", (json_int_t)s->at[0], (json_int_t)s->at[1], (json_int_t)s->at[2]);
}

bool draw_read_range(const char *text, void *target) {
    draw_range *range = target;
    const char *end = read_number(text, UINT32_MAX, &range->first);
    range->last = range->first;
    if (end && *end == '-')
        end = read_number(end + 1, UINT32_MAX, &range->last);
    return end && *end == '\0' && range->first <= range->last && (range->said = true);
}

#define WB_RECORD draw_call
#define RANGE .read = draw_read_range, .wants = N_("0-7 or 3"), .only = "values"
#define PLACE .read = draw_read_spot, .wants = N_("3 or 3,1 or 3,1,0")
const wb_option draw_options[] = {
    WB_OPTION("--block", READ, block, "X,Y,Z", "the block (default: 0,0,0; for grid the last)",
              PLACE, .only = "access lanes block grid values"),
    WB_OPTION("--warp", WHOLE, asked_warp, "W", "the warp of the block (default: 0)", .least = 0,
              .most = UINT32_MAX, .only = "access lanes values"),
    WB_OPTION("--thread", READ, thread, "X,Y,Z", "the thread (default: the last)", PLACE,
              .only = "grid"),
    WB_OPTION("--time", WHOLE, time, "N", "the time that the warp came there (default: 1)",
              .least = 1, .most = UINT32_MAX, .only = "access"),
    WB_OPTION("--before", FLAG, before, NULL,
              "access: below the picture that was drawn last; values: those before a line instead "
              "of after it",
              .only = "access values"),
    WB_OPTION("--lanes", READ, lanes, "A-B", "these lanes (default: all)", RANGE),
    WB_OPTION("--rows", READ, table_rows, "A-B", "these rows of arrays", RANGE),
    WB_OPTION("--columns", READ, table_cols, "A-B", "these columns of arrays", RANGE),
    WB_OPTION("--moments", READ, moments, "A-B", "these moments (default: 1-40)", RANGE),
    WB_OPTION("--block-wide", FLAG, block_wide, NULL,
              "all warps of the block, which has at most 256 threads", .only = "values"),
    WB_OPTION("--every", FLAG, every, NULL, "also lines that change none of the variables",
              .only = "values"),
    WB_OPTION("--by", INDEX, by, "thread|warp|block|time",
              "who came first (default: block); time: the number of that access to the array among "
              "its warp's",
              .only = "map"),
    WB_OPTION("--of", INDEX, of, "reads|writes|both", "which accesses (default: both)",
              .only = "map"),
    WB_OPTION("--kernel", TEXT, kernel, "NAME", "which kernel, if the cell launches several"),
    {0}};

/* Reads "12", or "3:12" and "[3]:12" for a line of cell [3]. */
static bool read_line(draw_call *d, const char *text) {
    uint64_t first = 0, second = 0;
    const char *at = read_number(text + (*text == '['), 1u << 30, &first);
    if (at && *text == '[')
        at = *at == ']' ? at + 1 : NULL;
    bool cell = at && *at == ':';
    if (cell)
        at = read_number(at + 1, 1u << 30, &second);
    if (!at || *at || (cell ? second : first) == 0 || d->line)
        return magics_misuse(d->call, _("'%s' is no line: 12, or 3:12 for line 12 of cell [3]"),
                             text);
    d->cell = cell ? (int)first : 0;
    d->line = (int)(cell ? second : first);
    return true;
}

/* Reads NAME, ROWS or COLS, whichever comes next. */
static bool read_array(draw_call *d, const char *word) {
    if (!d->name) {
        d->name = word;
        return true;
    }
    if (d->cols)
        return magics_misuse(d->call, _("'%s' is too much: %%%%draw map NAME ROWS COLUMNS"), word);
    uint64_t *size = d->rows ? &d->cols : &d->rows;
    const char *end = read_number(word, UINT32_MAX, size);
    return (end && !*end && *size) ||
           magics_misuse(d->call, _("%s takes a whole number from 1 on, not '%s'"),
                         d->rows ? _("the number of columns") : _("the number of rows"), word);
}

static bool read_kind(draw_call *d) {
    const magic_call *c = d->call;
    const char *word = c->n_plain > 0 ? c->plain[0] : "";
    for (int k = 0; k < DRAW_KINDS; k++)
        if (strcmp(word, kinds[k]) == 0) {
            d->kind = (draw_kind)k;
            return true;
        }
    if (!*word)
        return magics_misuse(c, _("what is to be drawn is missing: %%%%draw access, map, lanes, "
                                  "block, grid, or values"));
    return magics_misuse(c, _("'%s' is no picture%s"), word,
                         wb_text_meant(word, kinds, DRAW_KINDS));
}

static bool read_words(draw_call *d) {
    magic_call *c = d->call;
    if (!magics_read(c, d) || !read_kind(d))
        return false;
    d->warp = (uint32_t)d->asked_warp;
    d->names = c->plain + 1;
    d->n_names = c->n_plain - 1;
    for (int i = 1; i < c->n_plain && d->kind != DRAW_VALUES; i++) {
        if (d->kind != DRAW_MAP && d->kind != DRAW_ACCESS)
            return magics_misuse(c, _("'%s' is not known here"), c->plain[i]);
        if (d->kind == DRAW_MAP ? !read_array(d, c->plain[i]) : !read_line(d, c->plain[i]))
            return false;
    }
    if (magics_empty_body(c))
        return magics_misuse(c, _("the cell is empty"));
    return d->kind == DRAW_MAP      ? draw_map_read(d)
           : d->kind == DRAW_VALUES ? draw_values_read(d)
                                    : true;
}

/* ---- the report ---------------------------------------------------------------------------- */

/* Returns the names of the launched kernels, each once: "a, b and c". The caller frees it. */
static char *launched(const json_t *report) {
    WB_SCOPED_JSON json_t *names = json_object();
    size_t n = 0;
    wb_buf out = {0};
    const char *name;
    json_t *value;
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        WB_SCOPED char *kernel = json_object_get(launch, "grid") ? wb_view_kernel(launch) : NULL;
        if (kernel)
            json_object_set_new(names, kernel, json_true());
    }
    json_object_foreach(names, name, value) {
        bool final = ++n == json_object_size(names);
        wb_buf_printf(&out, "%s%s", n == 1 ? "" : final ? _(" and ") : ", ", name);
    }
    return wb_buf_steal(&out);
}

static uint32_t part(const json_t *launch, const char *key, size_t k) {
    return (uint32_t)json_integer_value(json_array_get(json_object_get(launch, key), k));
}

static bool has_block(const draw_call *d, const json_t *launch) {
    return d->block.at[0] < part(launch, "grid", 0) && d->block.at[1] < part(launch, "grid", 1) &&
           d->block.at[2] < part(launch, "grid", 2);
}

static uint32_t threads_of(const json_t *launch) {
    return part(launch, "block", 0) * part(launch, "block", 1) * part(launch, "block", 2);
}

bool draw_checks(const draw_call *d) {
    const json_t *wanted = NULL;
    bool block = false, warp = false;
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        if (!draw_wanted(d, launch))
            continue;
        wanted = launch;
        block |= has_block(d, launch);
        warp |= has_block(d, launch) && d->warp < (threads_of(launch) + 31) / 32;
    }
    uint32_t threads = threads_of(wanted), warps = (threads + 31) / 32;
    WB_SCOPED char *names = launched(d->report), *kernel = wb_view_kernel(wanted);
    if (!names || !*names)
        return draw_fails(d,
                          _("The cell launched no kernel, so there is nothing to show: %%%%%s goes "
                            "above the launch, as in kernel<<<blocks, threads>>>(...);"),
                          d->call->magic->name);
    if (!wanted)
        return draw_fails(d, _("The cell launched no kernel %s, but %s."), d->kernel, names);
    if (!block)
        return draw_fails(
            d,
            _("There is no block (%u, %u, %u): the grid of %s has blocks (0, 0, 0) to "
              "(%u, %u, %u)."),
            d->block.at[0], d->block.at[1], d->block.at[2], kernel ? kernel : _("the kernel"),
            part(wanted, "grid", 0) - 1, part(wanted, "grid", 1) - 1, part(wanted, "grid", 2) - 1);
    return warp ||
           draw_fails(
               d, _("There is no warp %u: a block of %s has %u thread%s, in %u warp%s from 0 on."),
               d->warp, kernel ? kernel : _("the kernel"), threads, threads == 1 ? "" : "s", warps,
               warps == 1 ? "" : "s");
}

bool draw_has_thread(const draw_call *d, const uint32_t block[3], const char *kernel) {
    const uint32_t *at = d->thread.at;
    return (at[0] < block[0] && at[1] < block[1] && at[2] < block[2]) ||
           draw_fails(d,
                      _("There is no thread (%u, %u, %u): a block of %s has threads (0, 0, 0) to "
                        "(%u, %u, %u)."),
                      at[0], at[1], at[2], kernel, block[0] - 1, block[1] - 1, block[2] - 1);
}

/* ---- the magic ----------------------------------------------------------------------------- */

char *draw_wish(const draw_call *d) {
    WB_SCOPED_JSON json_t *o = json_pack(
        "{s:s, s:o, s:i, s:I, s:s*}", "what", kinds[d->kind], "block", draw_spot_json(&d->block),
        "warp", (int)d->warp, "time", (json_int_t)(d->time ? d->time : 1), "kernel", d->kernel);
    if (o && d->kind == DRAW_MAP)
        json_object_update_new(o, json_pack("{s:s, s:I, s:I, s:I, s:i}", "name", d->name, "rows",
                                            (json_int_t)d->rows, "cols", (json_int_t)d->cols,
                                            "element", (json_int_t)draw_map_element(d), "of",
                                            d->of + 1));
    if (o && d->kind == DRAW_VALUES)
        draw_values_wish(d, o);
    return o ? json_dumps(o, JSON_COMPACT) : NULL;
}

static bool draw(draw_call *d) {
    static bool (*const shows[DRAW_KINDS])(draw_call *) = {draw_access_show, draw_map_show,
                                                           draw_lanes_show,  draw_block_show,
                                                           draw_grid_show,   draw_values_show};
    return draw_checks(d) && shows[d->kind](d);
}

bool magic_draw(magic_call *c) {
    draw_call d = {.call = c, .of = 2, .by = 2};
    if (!read_words(&d))
        return false;
    WB_SCOPED char *wish = draw_wish(&d);
    SCOPED_RESULT wb_result result;
    bool ok = magics_run_body(c,
                              (wb_cell){.record = wish,
                                        .record_clocks = d.kind == DRAW_BLOCK,
                                        .record_values = d.kind == DRAW_VALUES},
                              &result);
    d.report = result.report;
    if (ok && result.report)
        ok = draw(&d);
    else if (ok)
        execution_printf(c->x, _("nothing was drawn: only softgpu draws pictures (`%%device soft` "
                                 "changes to it and forgets variables)\n"));
    return ok;
}
