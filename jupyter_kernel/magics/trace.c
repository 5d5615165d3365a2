/* trace.c: %%trace: the moments at which a warp comes to some lines, as a table. softgpu records
 * them as it does for %%draw values (draw_values.c). */
#include "jupyter_kernel/execution/bundle.h"
#include "jupyter_kernel/magics/draw.h"
#include "runtime/base/language.h"
#include "runtime/base/words.h"

enum { MOST_CELLS = 1024, MOST_PARTS = 10 /* of a list */ };

typedef struct trace {
    draw_call d;
    const char *variables; /* NULL: those that the line names */
    bool after;
} trace;
#define WB_RECORD trace
#define PLACE .read = draw_read_spot, .wants = N_("3 or 3,1 or 3,1,0")
const wb_option trace_options[] = {
    WB_OPTION("--block", READ, d.block, "X,Y,Z", "the block (default: 0,0,0)", PLACE),
    WB_OPTION("--warp", WHOLE, d.asked_warp, "W", "the warp of the block (default: 0)", .least = 0,
              .most = UINT32_MAX),
    WB_OPTION("--thread", READ, d.thread, "X,Y,Z", "one thread of the block instead of a warp",
              PLACE),
    WB_OPTION("--vars", TEXT, variables, "A,B,C",
              "these variables (default: those that the line names)"),
    WB_OPTION("--after", FLAG, after, NULL, "the values after the line instead of before it"),
    WB_OPTION("--moments", READ, d.moments, "A-B", "these moments (default: 1-40)",
              .read = draw_read_range, .wants = N_("0-7 or 3")),
    WB_OPTION("--kernel", TEXT, d.kernel, "NAME", "which kernel, if the cell launches several"),
    {0}};

/* ---- reading the line ---------------------------------------------------------------------- */

/* Adds the parts between commas. */
static void split_words(const char *text, wb_strings *to) {
    WB_SCOPED char *words = strdup(text);
    for (char *comma = words; comma && (comma = strchr(comma, ',')) != NULL;)
        *comma = ' ';
    wb_strings_words(to, words ? words : "");
}

static bool read_lines(trace *t) {
    magic_call *c = t->d.call;
    WB_SCOPED_STRINGS wb_strings words = {0};
    for (int i = 0; i < c->n_plain; i++)
        split_words(c->plain[i], &words);
    t->d.lines = json_array();
    for (size_t i = 0; i < words.n; i++) {
        draw_range r = {0};
        if (!draw_read_range(words.v[i], &r) || r.first == 0)
            return magics_misuse(c, _("'%s' is no line: 7, 7-9, or 7,12"), words.v[i]);
        json_array_append_new(t->d.lines,
                              json_pack("[I, I]", (json_int_t)r.first, (json_int_t)r.last));
    }
    return words.n > 0 || magics_misuse(c, _("the lines are missing: 7, 7-9, or 7,12"));
}

static bool read_line(trace *t, wb_strings *names) {
    magic_call *c = t->d.call;
    if (!magics_read(c, t) || !read_lines(t))
        return false;
    split_words(t->variables ? t->variables : "", names);
    t->d.names = names->v;
    t->d.n_names = (int)names->n;
    t->d.warp = (uint32_t)t->d.asked_warp;
    t->d.before = !t->after;
    if (magics_empty_body(c))
        return magics_misuse(c, _("the cell is empty"));
    return draw_values_read(&t->d);
}

/* ---- lists of values ----------------------------------------------------------------------- */

/* Returns how many whole numbers from the first on rise or fall by the same step. */
static size_t steady(const char *const *v, size_t n) {
    long long first = 0, step = 0;
    for (size_t k = 0; k < n; k++) {
        char *end;
        long long next = strtoll(v[k], &end, 10);
        first = k == 0 ? next : first;
        step = k == 1 ? next - first : step;
        if (*end || end == v[k] || next - first != step * (long long)k)
            return k;
    }
    return n;
}

/* Writes "0, 1, ..., 31", "7 (x8)" for runs, and single values. */
static void put_list(const char *const *v, size_t n, wb_buf *out) {
    size_t i = 0;
    for (size_t run, parts = 0; i < n && parts < MOST_PARTS; i += run, parts++) {
        for (run = 1; i + run < n && strcmp(v[i], v[i + run]) == 0;)
            run++;
        size_t rising = run == 1 ? steady(v + i, n - i) : 1;
        wb_buf_printf(out, "%s%s", i ? ", " : "", v[i]);
        if (run > 2)
            wb_buf_printf(out, " (x%zu)", run);
        else if (rising > 3)
            wb_buf_printf(out, ", %s, ..., %s", v[i + 1], v[i + (run = rising) - 1]);
        else
            run = 1;
    }
    wb_buf_puts(out, i < n ? ", ..." : "");
}

static void put_lanes(uint32_t mask, wb_buf *out) {
    char texts[32][4];
    const char *v[32];
    size_t n = 0;
    for (; mask; mask &= mask - 1, n++) {
        snprintf(texts[n], sizeof texts[n], "%d", __builtin_ctz(mask));
        v[n] = texts[n];
    }
    put_list(v, n, out);
}

/* ---- the table ----------------------------------------------------------------------------- */

typedef struct sheet {
    const trace *t;
    const json_t *variables, *moments; /* of the record */
    wb_table *table;
    json_t *data; /* of the moments */
} sheet;

/* Returns true if the line names the variable, or --vars does. */
static bool is_named(const sheet *s, const json_t *moment, const json_t *variable) {
    const char *name = wb_field_text(variable, "name");
    WB_SCOPED char *source = draw_source(s->t->d.report, wb_field_text(moment, "file"),
                                         (int)wb_field_int(moment, "line"));
    return s->t->variables ||
           (source && !strchr(name, '[') && wb_word_find(source, name, strcspn(name, ".")));
}

/* Adds the variable's cell: a value that all lanes have once, else a list. Returns the values. */
static json_t *add_cell(const sheet *s, const json_t *moment, size_t k, bool is_array) {
    uint32_t mask = (uint32_t)wb_field_int(moment, "mask");
    const char *cells[MOST_CELLS] = {0}, *only = NULL, *values = wb_field_text(moment, "values");
    bool same = !is_array;
    json_t *list = json_array();
    size_t n = 0;
    WB_SCOPED_BUF wb_buf out = {0};
    for (; k > 0 && *values; k--)
        values += strcspn(values, "\n") + 1;
    WB_SCOPED char *text = strndup(values, strcspn(values, "\n"));
    for (char *p = text, *tab; p && n < MOST_CELLS && (tab = strchr(p, '\t')); p = tab + 1, n++) {
        bool on = is_array || (n < 32 && mask >> n & 1);
        *tab = '\0';
        cells[n] = !on ? "-" : *p ? p + (*p == '*') : "?";
        same &= !on || !only || strcmp(only, cells[n]) == 0;
        only = on ? cells[n] : only;
        json_array_append_new(list, on && *p ? json_string(cells[n]) : json_null());
    }
    while (n > 1 && *cells[n - 1] == '-' &&
           !cells[n - 1][1]) /* also those beyond the last thread */
        n--;
    if (same && only)
        cells[0] = only;
    put_list(cells, same && only ? 1 : n, &out);
    wb_table_cell(s->table, "%s", out.data ? out.data : "");
    wb_table_code(s->table);
    return list;
}

static void add_moment(const sheet *s, const json_t *moment, const bool *shown) {
    WB_SCOPED_BUF wb_buf lanes = {0};
    WB_SCOPED char *source = draw_source(s->t->d.report, wb_field_text(moment, "file"),
                                         (int)wb_field_int(moment, "line"));
    json_t *named = json_object(), *variable;
    json_int_t number = (json_int_t)(s->t->d.moments.first + json_array_size(s->data));
    size_t k;
    put_lanes((uint32_t)wb_field_int(moment, "mask"), &lanes);
    wb_table_row(s->table, false);
    wb_table_cell(s->table, "%lld", (long long)number);
    wb_table_cell(s->table, "%lld: %s", (long long)wb_field_int(moment, "line"),
                  source ? source : "");
    wb_table_code(s->table);
    wb_table_cell(s->table, "%s", lanes.data ? lanes.data : "");
    json_array_foreach(s->variables, k, variable) {
        if (is_named(s, moment, variable))
            json_object_set_new(named, wb_field_text(variable, "name"),
                                add_cell(s, moment, k, wb_field_true(variable, "array")));
        else if (shown[k])
            wb_table_cell(s->table, "%s", "");
    }
    json_array_append_new(s->data, json_pack("{s:I, s:I, s:I, s:I, s:s*, s:o}", "moment", number,
                                             "line", wb_field_int(moment, "line"), "round",
                                             wb_field_int(moment, "round"), "mask",
                                             wb_field_int(moment, "mask"), "source", source,
                                             "variables", named));
}

/* Fills the table: a column for each variable that some moment shows. */
static void fill(sheet *s) {
    const json_t *variable;
    size_t k;
    WB_SCOPED bool *shown = calloc(json_array_size(s->variables) + 1, sizeof *shown);
    wb_table_columns(s->table, "rll", _("moment"), _("line"), _("lanes"));
    json_array_foreach(s->variables, k, variable) {
        WB_JSON_EACH(moment, s->moments) {
            if (shown && !shown[k] && (shown[k] = is_named(s, moment, variable)))
                wb_table_column(s->table, wb_field_text(variable, "name"), false);
        }
    }
    WB_JSON_EACH(moment, s->moments) {
        if (shown)
            add_moment(s, moment, shown);
    }
}

/* Returns "loop, block (0, 0, 0), warp 0". The caller frees it. */
static char *place_of(const trace *t, const char *kernel) {
    const uint32_t *b = t->d.block.at, *at = t->d.thread.at;
    return t->d.thread.said ? wb_format(_("%s, block (%u, %u, %u), thread (%u, %u, %u)"), kernel,
                                        b[0], b[1], b[2], at[0], at[1], at[2])
                            : wb_format(_("%s, block (%u, %u, %u), warp %u"), kernel, b[0], b[1],
                                        b[2], t->d.warp);
}

static void show_table(const trace *t, const json_t *values, const char *place) {
    WB_SCOPED_BUF wb_buf left = {0};
    WB_SCOPED char *title = wb_format(t->after ? _("%s: the values after each line")
                                               : _("%s: the values before each line"),
                                      place);
    sheet s = {t, json_object_get(values, "watched"), json_object_get(values, "moments"),
               wb_table_new(), json_array()};
    fill(&s);
    draw_values_left(t->d.moments.first, json_array_size(s.moments),
                     (uint64_t)wb_field_int(values, "all"), &left);
    json_t *bundle = bundle_table(s.table, title ? title : "", left.data ? left.data : "");
    json_object_set_new(bundle, "application/vnd.warpbook.trace+json",
                        json_pack("{s:s, s:b, s:O, s:o}", "place", place, "after", (int)t->after,
                                  "all", json_object_get(values, "all"), "moments", s.data));
    execution_display(t->d.call->x, bundle, NULL, false);
    wb_table_free(s.table);
}

/* ---- what cannot be shown ------------------------------------------------------------------ */

/* Fails with a sentence if the function that ran does not have the lines. */
static bool has_lines(const trace *t, const json_t *values) {
    const char *name = wb_field_text(values, "name"), *other = wb_field_text(values, "followed");
    int line = (int)wb_field_int(values, "line"), next = (int)wb_field_int(values, "next");
    WB_SCOPED char *place = draw_place(wb_field_text(values, "file"), line);
    if (strcmp(wb_field_text(values, "trouble"), "line") != 0)
        return true;
    if (*name)
        return draw_fails(&t->d,
                          _("%s is in %.*s, but this trace follows %.*s. Trace one function at a "
                            "time; --kernel NAME chooses among launches."),
                          place, (int)strcspn(name, "("), name, (int)strcspn(other, "("), other);
    return next ? draw_fails(&t->d, _("%s has no device code; the next with some is line %d."),
                             place, next)
                : draw_fails(&t->d, _("%s has no device code, and no line behind it has."), place);
}

/* failed: the cell has an error already, and only a table can be added. */
static bool show(const trace *t, bool failed) {
    const json_t *launch = draw_launch(&t->d, "values");
    const json_t *values = json_object_get(json_object_get(launch, "record"), "values");
    bool any = json_array_size(json_object_get(values, "moments")) > 0;
    uint32_t block[3];
    if ((failed && !any) || !draw_checks(&t->d))
        return false;
    WB_SCOPED char *own = wb_view_kernel(launch);
    const char *kernel = own ? own : _("the kernel");
    WB_SCOPED char *place = place_of(t, kernel);
    draw_shape(launch, "block", block);
    if ((t->d.thread.said && !draw_has_thread(&t->d, block, kernel)) || !has_lines(t, values) ||
        draw_values_trouble(&t->d, kernel, values))
        return false;
    if (any && place)
        show_table(t, values, place);
    return any || draw_fails(&t->d, _("%s comes to these lines %lld times."), place ? place : "",
                             (long long)wb_field_int(values, "all"));
}

bool magic_trace(magic_call *c) {
    trace t = {.d = {.call = c, .kind = DRAW_VALUES, .every = true}};
    WB_SCOPED_STRINGS wb_strings names = {0};
    bool ok = read_line(&t, &names);
    WB_SCOPED char *wish = ok ? draw_wish(&t.d) : NULL;
    json_decref(t.d.lines);
    if (!ok)
        return false;
    SCOPED_RESULT wb_result result;
    ok = magics_run_body(c, (wb_cell){.record = wish, .record_values = true}, &result);
    t.d.report = result.report;
    if (result.report && (ok || json_is_object(json_object_get(result.report, "fault"))))
        return show(&t, !ok) && ok;
    if (ok)
        execution_printf(c->x, _("Nothing was traced: softgpu traces kernels, this device does "
                                 "not (`%%device soft` changes to it and forgets variables).\n"));
    return ok;
}
