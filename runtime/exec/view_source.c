/* view_source.c: source text with the cost of each line, like a profiler.
 *
 * A line's share is of its kernel's modelled time, over all launches. softgpu counts sectors and
 * passes. A column's colour shows the line's share of that column, so costly lines stand out. */

#include "runtime/exec/view_count.h"
#include "runtime/base/scoped.h"
#include "runtime/measure/stats.h"
#include "runtime/base/language.h"
#include "runtime/json/fields.h"

enum { MOST_KERNELS = 4, MOST_ROWS = 150, HEAD = 16, TAIL = 6, GAP = 8, NARROWEST = 20 };

typedef view_count cost; /* of a line, over all launches of its kernel */

typedef struct kernel {
    view_count *launches;
    double seconds, sectors, passes; /* of its lines */
    cost *costs[VIEW_COUNTS];
    size_t n;
} kernel;

static double sectors_of(const cost *c) {
    return view_count_sum(c, VIEW_SECTORS);
}

static double passes_of(const cost *c) {
    return view_count_sum(c, VIEW_PASSES);
}

static json_int_t line_of(const cost *c) {
    return (json_int_t)wb_field_number(c->first, "line");
}

static const char *file_of(const cost *c) {
    return wb_field_text(c->first, "file");
}

static int by_cost(const void *a, const void *b) {
    const view_count *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    double p = sectors_of(x) + passes_of(x), q = sectors_of(y) + passes_of(y);
    return p < q ? 1 : p > q ? -1 : 0;
}

/* Sorts by file name and line. */
static int by_line(const void *a, const void *b) {
    const cost *x = *(cost *const *)a, *y = *(cost *const *)b;
    int files = strcmp(file_of(x), file_of(y));
    return files ? files : line_of(x) < line_of(y) ? -1 : line_of(x) > line_of(y);
}

/* ---- the text of a file ---------------------------------------------------------------------- */

/* Returns line `line` of the text, from 1, with its length in *len, or NULL. */
static const char *line_at(const char *text, json_int_t line, size_t *len) {
    const char *at = wb_text_line(text, (int)line, len);
    return at && *at ? at : NULL;
}

static bool holds(const char *line, size_t len, const char *word) {
    return memmem(line, len, word, strlen(word)) != NULL;
}

/* Returns the first line of a kernel whose first costly line is `line`: its head if near, with its
 * template line. */
static json_int_t head_of(const char *text, json_int_t line) {
    size_t len;
    for (json_int_t at = line; at > 0 && line - at < HEAD; at--) {
        const char *p = line_at(text, at, &len);
        if (!p || (at < line && *p == '}'))
            break;
        if (!holds(p, len, "__global__") && !holds(p, len, "__device__"))
            continue;
        const char *above = at > 1 ? line_at(text, at - 1, &len) : NULL;
        return above && strncmp(above, "template", strlen("template")) == 0 ? at - 1 : at;
    }
    return line;
}

/* Returns the last line of a kernel whose last costly line is `line`. */
static json_int_t tail_of(const char *text, json_int_t line) {
    size_t len;
    for (json_int_t at = line + 1; at <= line + TAIL; at++) {
        const char *p = line_at(text, at, &len);
        if (!p || holds(p, len, "__global__"))
            break;
        if (*p == '}')
            return at;
    }
    return line;
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct page {
    wb_table *table;
    const json_t *sources;
    size_t room; /* columns for the source */
    size_t rows;
    bool timed, global, shared; /* existing columns */
} page;

static void count_cell(wb_table *t, double value) {
    WB_SCOPED char *text = value > 0 ? view_whole(value) : NULL;
    wb_table_cell(t, "%s", text ? text : "");
}

/* Writes "32", or "4 / 32" for a line that loads and stores. Shares are of the moved bytes; atomic
 * operations have none. */
static void pair_cell(wb_table *t, double loads, double stores, const char *unit) {
    if (loads > 0 && stores > 0)
        wb_table_cell(t, "%.3g / %.3g%s", loads, stores, unit);
    else if (loads + stores > 0)
        wb_table_cell(t, "%.3g%s", loads + stores, unit);
    else
        wb_table_cell(t, "%s", "");
}

static double ratio(const cost *c, const char *sum, const char *over, double times) {
    double below = view_count_sum(c, over);
    return below > 0 ? times * view_count_sum(c, sum) / below : 0;
}

static void time_cell(const page *p, double share) {
    if (!p->timed)
        return;
    if (share < 0.0005) {
        wb_table_cell(p->table, "%s", "");
        return;
    }
    wb_table_cell(p->table, share < 0.01 ? "%.1f %%" : "%.0f %%", 100 * share);
    wb_table_bar(p->table, WB_ORANGE, share);
}

static void code_cell(const page *p, const char *code) {
    WB_SCOPED char *text = wb_utf8_cut(code, p->room);
    wb_table_cell(p->table, "%s", text ? text : "");
    wb_table_code(p->table);
}

static void cost_cells(const page *p, const kernel *k, const cost *c) {
    static const double PERCENT = 100.0 / VIEW_SECTOR;
    wb_table *t = p->table;
    if (p->global) {
        count_cell(t, sectors_of(c));
        wb_table_tint(t, WB_BLUE, k->sectors > 0 ? sectors_of(c) / k->sectors : 0);
        pair_cell(t, ratio(c, "global_load_sectors", "global_load_requests", 1),
                  ratio(c, "global_store_sectors", "global_store_requests", 1), "");
        pair_cell(t, ratio(c, "global_load_used", "global_load_sectors", PERCENT),
                  ratio(c, "global_store_used", "global_store_sectors", PERCENT), " %");
    }
    if (p->shared) {
        count_cell(t, passes_of(c));
        wb_table_tint(t, WB_GREEN, k->passes > 0 ? passes_of(c) / k->passes : 0);
        double passes = ratio(c, VIEW_PASSES, VIEW_SHARED, 1);
        if (passes > 0)
            wb_table_cell(t, "%.2f", passes);
        else
            wb_table_cell(t, "%s", "");
    }
    if (p->timed) {
        char *spent =
            c->model && c->seconds >= 0.01 * k->launches->seconds ? view_spent_on(c->model) : NULL;
        wb_table_cell(t, "%.*s", (int)strcspn(spent ? spent : "", ","), spent ? spent : "");
        free(spent);
    }
}

static void put_line(page *p, const kernel *k, json_int_t line, const char *text, const cost *c) {
    static const cost nothing = {.kernel = NULL};
    wb_table_row(p->table, false);
    wb_table_cell(p->table, "%lld", (long long)line);
    time_cell(p, c && k->launches->seconds > 0 ? c->seconds / k->launches->seconds : 0);
    code_cell(p, text);
    if (c && k->launches->seconds > 0)
        wb_table_tint(p->table, WB_ORANGE, c->seconds / k->launches->seconds);
    cost_cells(p, k, c ? c : &nothing);
    p->rows++;
}

/* Adds a row of text in the source's column. */
static void put_words(page *p, bool rule, double share, const char *words) {
    wb_table_row(p->table, rule);
    wb_table_cell(p->table, "%s", "");
    time_cell(p, share);
    WB_SCOPED char *some = wb_utf8_cut(words, p->room);
    wb_table_cell(p->table, "%s", some ? some : "");
}

static void put_text_line(page *p, const kernel *k, const char *text, json_int_t line,
                          const cost *c) {
    size_t len = 0;
    const char *at = line_at(text, line, &len);
    WB_SCOPED_BUF wb_buf code = {0};
    for (size_t i = 0; i < len; i++)
        wb_buf_puts(&code, at[i] == '\t' ? "    " : (char[]){at[i], '\0'});
    put_line(p, k, line, code.data ? code.data : "", c);
}

/* Adds a file with known text, from the kernel's head to its end, without long idle stretches. */
static void put_file(page *p, const kernel *k, cost *const *costs, size_t n, const char *text) {
    json_int_t next = head_of(text, line_of(costs[0])), end = tail_of(text, line_of(costs[n - 1]));
    for (size_t i = 0; i <= n; i++) {
        json_int_t until = i < n ? line_of(costs[i]) : end + 1;
        if (until - next > GAP && i > 0) {
            json_int_t head = i < n ? head_of(text, until) : until;
            put_words(p, false, 0, "...");
            next = head > next && head < until ? head : until - 1;
        }
        while (next < until && p->rows < MOST_ROWS)
            put_text_line(p, k, text, next++, NULL);
        if (i < n && p->rows < MOST_ROWS)
            put_text_line(p, k, text, next++, costs[i]);
    }
}

static bool costly(const kernel *k, const cost *c) {
    return sectors_of(c) + passes_of(c) > 0 || c->seconds >= 0.0005 * k->launches->seconds;
}

static const char *file_name(const char *path, char said[64]) {
    return wb_language_file(wb_path_name(path), said, 64);
}

/* Adds the kernel's lines of one file, from costs on. Returns their number. */
static size_t put_section(page *p, const kernel *k, cost *const *costs, size_t n, bool titled) {
    size_t len = 0, shown = 0;
    cost *kept[VIEW_COUNTS];
    for (; len < n && strcmp(file_of(costs[len]), file_of(costs[0])) == 0; len++)
        if (costly(k, costs[len]))
            kept[shown++] = costs[len];
    if (shown == 0)
        return len;
    const char *text = wb_field_string(p->sources, file_of(costs[0]));
    char said[64];
    const char *name = file_name(file_of(costs[0]), said);
    bool header = wb_field_true(costs[0]->first, "header") && !text;
    char *title = titled ? wb_format("%s%s:", name, header ? _(" (header)") : "") : NULL;
    if (title)
        put_words(p, false, 0, title);
    free(title);
    if (text)
        put_file(p, k, kept, shown, text);
    else
        for (size_t i = 0; i < shown && p->rows < MOST_ROWS; i++)
            put_line(p, k, line_of(kept[i]),
                     kept[i]->text ? kept[i]->text : _("(its text is not here)"), kept[i]);
    return len;
}

/* Adds the title "turn of cell [3]: 2 launches, 14.7 us". */
static void put_title(page *p, const view_count *k, const char *file) {
    char time[32], said[64];
    wb_stats_seconds(k->seconds, time, sizeof time);
    WB_SCOPED char *place =
        file ? wb_format(_("%s of %s"), k->kernel, file_name(file, said)) : NULL;
    WB_SCOPED char *title =
        wb_format(_("%s: %lld launch%s%s%s"), place ? place : k->kernel, (long long)k->launches,
                  k->launches == 1 ? "" : "es", k->model ? ", " : "", k->model ? time : "");
    put_words(p, true, 0, title ? title : "");
    wb_table_mark(p->table);
}

static void put_kernel(page *p, kernel *k) {
    double shown = 0, all = k->launches->seconds;
    bool several = false;
    qsort(k->costs, k->n, sizeof *k->costs, by_line);
    for (size_t i = 0; i < k->n; i++) {
        shown += k->costs[i]->seconds;
        several |= strcmp(file_of(k->costs[i]), file_of(k->costs[0])) != 0;
    }
    put_title(p, k->launches, several || k->n == 0 ? NULL : file_of(k->costs[0]));
    p->rows = 0;
    for (size_t i = 0; i < k->n;)
        i += put_section(p, k, &k->costs[i], k->n - i, several);
    if (p->rows == MOST_ROWS)
        put_words(p, false, 0, _("(its other lines are not shown)"));
    if (k->launches->model && all - shown >= 0.005 * all)
        put_words(p, false, (all - shown) / all,
                  _("(no line: the launch, blocks that begin and end)"));
}

static void add_columns(page *p) {
    wb_table_column(p->table, _("line"), true);
    if (p->timed)
        wb_table_column(p->table, _("time"), true);
    wb_table_column(p->table, _("source"), false);
    if (p->global) {
        wb_table_columns(p->table, "rrr", _("sectors"), _("sectors/access"), _("used"));
    }
    if (p->shared) {
        wb_table_columns(p->table, "rr", _("passes"), _("passes/access"));
    }
    if (p->timed)
        wb_table_column(p->table, _("spent on"), false);
}

static void add_costs(page *p, kernel *k, cost *lines, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(lines[i].symbol, k->launches->symbol) != 0)
            continue;
        k->costs[k->n++] = &lines[i];
        k->sectors += sectors_of(&lines[i]);
        k->passes += passes_of(&lines[i]);
    }
    p->timed |= k->launches->model != NULL;
    p->global |= k->sectors > 0;
    p->shared |= k->passes > 0;
}

wb_table *wb_view_source(const json_t *report, size_t width) {
    view_count *launches, *lines;
    size_t n = view_count_launches(report, false, &launches),
           all = view_count_lines(report, &lines), shown = n < MOST_KERNELS ? n : MOST_KERNELS;
    kernel *kernels = calloc(MOST_KERNELS, sizeof *kernels);
    page p = {.sources = json_object_get(report, "sources")};
    qsort(launches, n, sizeof *launches, by_cost);
    for (size_t k = 0; kernels && k < shown; k++) {
        kernels[k].launches = &launches[k];
        add_costs(&p, &kernels[k], lines, all);
    }
    size_t others = 6 + (p.timed ? 16 + 24 : 0) + (p.global ? 38 : 0) + (p.shared ? 24 : 0);
    p.room = width > others + NARROWEST ? width - others : NARROWEST;
    p.table = kernels && all > 0 ? wb_table_new() : NULL;
    add_columns(&p);
    for (size_t k = 0; k < shown && p.table; k++)
        if (kernels[k].n > 0)
            put_kernel(&p, &kernels[k]);
    free(kernels);
    view_count_free(launches, n);
    view_count_free(lines, all);
    return p.table;
}
