/* view_source.c: the source of kernels with what each line costs beside it, as a profiler has it.
 *
 * A line's share is of its kernel's time as modelled, over all its launches; sectors and passes are
 * what softgpu counted. A column's colour goes by the line's share of that column, so what to look
 * at first is seen before a number is read. */
#include "runtime/exec/view_launch.h"
#include "runtime/measure/stats.h"
#include "runtime/base/language.h"
#include "runtime/json/fields.h"

enum { MOST_KERNELS = 4, MOST_COSTS = 256, MOST_ROWS = 150, SECTOR = 32 };
enum { HEAD = 16, TAIL = 6, GAP = 8, NARROWEST = 60 };

typedef struct traffic {
    double requests, sectors, bytes; /* bytes: that the lanes asked for */
} traffic;

typedef struct cost { /* of a line, over all launches of its kernel */
    const char *file;
    json_int_t line;
    const json_t *model; /* the line in the launch where it took longest; NULL: in none */
    double seconds, longest;
    traffic loads, stores; /* of global memory */
    double sectors;        /* of both, and of atomic operations */
    double shared, passes; /* accesses to shared memory, and the turns of its banks */
    const char *text;      /* NULL: not known */
} cost;

typedef struct kernel {
    const json_t *first;
    json_int_t launches;
    double seconds, sectors, passes; /* of all launches; sectors and passes of its lines */
    bool timed;                      /* some launch has a time */
    cost costs[MOST_COSTS];
    size_t n;
} kernel;

/* ---- what is known --------------------------------------------------------------------------- */

static cost *cost_of(kernel *k, const json_t *line) {
    const char *file = wb_field_text(line, "file");
    json_int_t at = (json_int_t)wb_field_number(line, "line");
    size_t i = 0;
    while (i < k->n && (k->costs[i].line != at || strcmp(k->costs[i].file, file) != 0))
        i++;
    if (i == MOST_COSTS || at < 1)
        return NULL;
    if (i == k->n)
        k->costs[k->n++] = (cost){.file = file, .line = at};
    cost *c = &k->costs[i];
    if (!c->text)
        c->text = json_string_value(json_object_get(line, "text"));
    return c;
}

static void add_counts(kernel *k, cost *c, const json_t *n) {
    double loads = wb_field_number(n, "global_load_sectors"),
           stores = wb_field_number(n, "global_store_sectors");
    double sectors = loads + stores + wb_field_number(n, "global_atomic_sectors");
    double passes = wb_field_number(n, "shared_load_wavefronts") +
                    wb_field_number(n, "shared_store_wavefronts") +
                    wb_field_number(n, "shared_atomic_wavefronts");
    c->loads.requests += wb_field_number(n, "global_load_requests");
    c->loads.sectors += loads;
    c->loads.bytes += wb_field_number(n, "global_load_used");
    c->stores.requests += wb_field_number(n, "global_store_requests");
    c->stores.sectors += stores;
    c->stores.bytes += wb_field_number(n, "global_store_used");
    c->shared += wb_field_number(n, "shared_load_requests") +
                 wb_field_number(n, "shared_store_requests") +
                 wb_field_number(n, "shared_atomic_requests");
    c->sectors += sectors;
    c->passes += passes;
    k->sectors += sectors;
    k->passes += passes;
}

static void add_launch(kernel *k, const json_t *launch) {
    const json_t *model = json_object_get(launch, "model"), *line;
    double seconds = wb_field_number(model, "seconds");
    size_t i;
    k->launches++;
    k->seconds += seconds;
    k->timed |= seconds > 0;
    json_array_foreach(json_object_get(model, "lines"), i, line) {
        double own = seconds * wb_field_number(line, "share");
        cost *c = cost_of(k, line);
        if (!c)
            continue;
        c->seconds += own;
        if (!c->model || own > c->longest) {
            c->model = line;
            c->longest = own;
        }
    }
    json_array_foreach(json_object_get(launch, "lines"), i, line) {
        cost *c = cost_of(k, line);
        if (c)
            add_counts(k, c, json_object_get(line, "counters"));
    }
}

static int by_cost(const void *a, const void *b) {
    const kernel *x = *(kernel *const *)a, *y = *(kernel *const *)b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    double p = x->sectors + x->passes, q = y->sectors + y->passes;
    return p < q ? 1 : p > q ? -1 : 0;
}

/* In the order in which they stand in the source; files by the name that came first. */
static int by_line(const void *a, const void *b) {
    const cost *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

/* ---- the text of a file ---------------------------------------------------------------------- */

/* Line `line` of the text, from 1; its length to *len; NULL: there is none. */
static const char *line_at(const char *text, json_int_t line, size_t *len) {
    const char *at = text;
    while (at && --line > 0)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (at && !*at)
        return NULL;
    *len = at ? strcspn(at, "\n") : 0;
    return at;
}

static bool holds(const char *line, size_t len, const char *word) {
    return memmem(line, len, word, strlen(word)) != NULL;
}

/* The line that a kernel's text begins with, of which `line` has the first cost: its head where
 * that is near, with a template's above it. */
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

/* ... and the line that it ends with, `line` being the last that costs anything. */
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
    size_t room; /* for the source, in columns */
    size_t rows;
    bool timed, global, shared; /* the columns that there are */
} page;

static void count_cell(wb_table *t, double value) {
    char text[64];
    if (value >= 1000)
        wb_table_cell(t, "%s", wb_stats_number(value, text, sizeof text));
    else if (value > 0)
        wb_table_cell(t, "%.0f", value);
    else
        wb_table_cell(t, "%s", "");
}

/* "32"; of a line that loads and stores "4 / 32". */
static void per_access_cell(wb_table *t, const cost *c) {
    double loads = c->loads.requests > 0 ? c->loads.sectors / c->loads.requests : 0;
    double stores = c->stores.requests > 0 ? c->stores.sectors / c->stores.requests : 0;
    if (loads > 0 && stores > 0)
        wb_table_cell(t, "%.3g / %.3g", loads, stores);
    else if (loads + stores > 0)
        wb_table_cell(t, "%.3g", loads + stores);
    else
        wb_table_cell(t, "%s", "");
}

/* The share of the moved bytes that was requested. It is not known for atomic operations. */
static void used_cell(wb_table *t, const cost *c) {
    double loads = c->loads.sectors > 0 ? 100 * c->loads.bytes / (c->loads.sectors * SECTOR) : 0;
    double stores =
        c->stores.sectors > 0 ? 100 * c->stores.bytes / (c->stores.sectors * SECTOR) : 0;
    if (loads > 0 && stores > 0)
        wb_table_cell(t, "%.3g / %.3g %%", loads, stores);
    else if (loads + stores > 0)
        wb_table_cell(t, "%.3g %%", loads + stores);
    else
        wb_table_cell(t, "%s", "");
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
    char *text = wb_utf8_cut(code, p->room);
    wb_table_cell(p->table, "%s", text ? text : "");
    wb_table_code(p->table);
    free(text);
}

static void cost_cells(const page *p, const kernel *k, const cost *c) {
    if (p->global) {
        count_cell(p->table, c->sectors);
        wb_table_tint(p->table, WB_BLUE, k->sectors > 0 ? c->sectors / k->sectors : 0);
        per_access_cell(p->table, c);
        used_cell(p->table, c);
    }
    if (p->shared) {
        count_cell(p->table, c->passes);
        wb_table_tint(p->table, WB_GREEN, k->passes > 0 ? c->passes / k->passes : 0);
        if (c->shared > 0)
            wb_table_cell(p->table, "%.3g", c->passes / c->shared);
        else
            wb_table_cell(p->table, "%s", "");
    }
    if (p->timed) {
        char *spent = c->model && c->seconds >= 0.01 * k->seconds ? view_spent_on(c->model) : NULL;
        wb_table_cell(p->table, "%.*s", (int)strcspn(spent ? spent : "", ","), spent ? spent : "");
        free(spent);
    }
}

static void put_line(page *p, const kernel *k, json_int_t line, const char *text, const cost *c) {
    static const cost nothing = {.file = ""};
    wb_table_row(p->table, false);
    wb_table_cell(p->table, "%lld", (long long)line);
    time_cell(p, c && k->seconds > 0 ? c->seconds / k->seconds : 0);
    code_cell(p, text);
    if (c && k->seconds > 0)
        wb_table_tint(p->table, WB_ORANGE, c->seconds / k->seconds);
    cost_cells(p, k, c ? c : &nothing);
    p->rows++;
}

/* A row of words in the source's column. */
static void put_words(page *p, bool rule, double share, const char *words) {
    wb_table_row(p->table, rule);
    wb_table_cell(p->table, "%s", "");
    time_cell(p, share);
    wb_table_cell(p->table, "%s", words);
}

static void put_text_line(page *p, const kernel *k, const char *text, json_int_t line,
                          const cost *c) {
    size_t len = 0;
    const char *at = line_at(text, line, &len);
    wb_buf code = {0};
    for (size_t i = 0; i < len; i++)
        wb_buf_puts(&code, at[i] == '\t' ? "    " : (char[]){at[i], '\0'});
    put_line(p, k, line, code.data ? code.data : "", c);
    wb_buf_free(&code);
}

/* A file whose text is known: from the kernel's head to its end, long stretches without cost left
 * out. */
static void put_file(page *p, const kernel *k, const cost *costs, size_t n, const char *text) {
    json_int_t next = head_of(text, costs[0].line), end = tail_of(text, costs[n - 1].line);
    for (size_t i = 0; i <= n; i++) {
        json_int_t until = i < n ? costs[i].line : end + 1;
        if (until - next > GAP && i > 0) {
            json_int_t head = i < n ? head_of(text, until) : until;
            put_words(p, false, 0, "...");
            next = head > next && head < until ? head : until - 1;
        }
        while (next < until && p->rows < MOST_ROWS)
            put_text_line(p, k, text, next++, NULL);
        if (i < n && p->rows < MOST_ROWS)
            put_text_line(p, k, text, next++, &costs[i]);
    }
}

static bool costly(const kernel *k, const cost *c) {
    return c->sectors + c->passes > 0 || c->seconds >= 0.0005 * k->seconds;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The kernel's lines of one file, from costs on; their number. */
static size_t put_section(page *p, const kernel *k, const cost *costs, size_t n, bool titled) {
    size_t len = 0, shown = 0;
    cost kept[MOST_COSTS];
    while (len < n && strcmp(costs[len].file, costs[0].file) == 0) {
        if (costly(k, &costs[len]))
            kept[shown++] = costs[len];
        len++;
    }
    if (shown == 0)
        return len;
    const char *text = json_string_value(json_object_get(p->sources, costs[0].file));
    char said[64];
    const char *file = wb_language_file(file_name(costs[0].file), said, sizeof said);
    char *title = titled ? wb_format("%s:", file) : NULL;
    if (title)
        put_words(p, false, 0, title);
    free(title);
    if (text)
        put_file(p, k, kept, shown, text);
    else
        for (size_t i = 0; i < shown && p->rows < MOST_ROWS; i++)
            put_line(p, k, kept[i].line,
                     kept[i].text ? kept[i].text : wb_tr("(its text is not here)"), &kept[i]);
    return len;
}

/* "turn of cell [3]: 2 launches, 14.7 µs". */
static void put_title(page *p, const kernel *k, const char *file) {
    char time[32], said[64], *whole = view_kernel(k->first);
    const char *name = whole && strncmp(whole, "void ", 5) == 0 ? whole + 5 : whole;
    wb_stats_seconds(k->seconds, time, sizeof time);
    const char *shown = file ? wb_language_file(file_name(file), said, sizeof said) : NULL;
    char *place = shown ? wb_format("%s of %s", name ? name : "", shown) : NULL;
    char *title = wb_format("%s: %lld launch%s%s%s",
                            place  ? place
                            : name ? name
                                   : "",
                            (long long)k->launches, k->launches == 1 ? "" : "es",
                            k->timed ? ", " : "", k->timed ? time : "");
    put_words(p, true, 0, title ? title : "");
    wb_table_mark(p->table);
    WB_FREE(title, place, whole);
}

static void put_kernel(page *p, kernel *k) {
    double shown = 0;
    bool several = false;
    qsort(k->costs, k->n, sizeof *k->costs, by_line);
    for (size_t i = 0; i < k->n; i++) {
        shown += k->costs[i].seconds;
        several |= strcmp(k->costs[i].file, k->costs[0].file) != 0;
    }
    put_title(p, k, several || k->n == 0 ? NULL : k->costs[0].file);
    p->rows = 0;
    for (size_t i = 0; i < k->n;)
        i += put_section(p, k, &k->costs[i], k->n - i, several);
    if (p->rows == MOST_ROWS)
        put_words(p, false, 0, wb_tr("(its other lines are not shown)"));
    if (k->timed && k->seconds - shown >= 0.005 * k->seconds)
        put_words(p, false, (k->seconds - shown) / k->seconds,
                  wb_tr("(no line: the launch, blocks that begin and end)"));
}

static void add_columns(page *p) {
    wb_table_column(p->table, "line", true);
    if (p->timed)
        wb_table_column(p->table, "time", true);
    wb_table_column(p->table, "source", false);
    if (p->global) {
        wb_table_column(p->table, "sectors", true);
        wb_table_column(p->table, "sectors/access", true);
        wb_table_column(p->table, "used", true);
    }
    if (p->shared) {
        wb_table_column(p->table, "passes", true);
        wb_table_column(p->table, "passes/access", true);
    }
    if (p->timed)
        wb_table_column(p->table, "spent on", false);
}

static size_t group(const json_t *report, kernel *kernels[VIEW_LAUNCHES]) {
    const json_t *launch;
    size_t n = 0, index;
    json_array_foreach(json_object_get(report, "launches"), index, launch) {
        size_t k = 0;
        while (k < n && strcmp(wb_field_text(kernels[k]->first, "symbol"),
                               wb_field_text(launch, "symbol")) != 0)
            k++;
        if (k == VIEW_LAUNCHES)
            continue;
        if (k == n && !(kernels[n] = calloc(1, sizeof **kernels)))
            break;
        if (k == n)
            kernels[n++]->first = launch;
        add_launch(kernels[k], launch);
    }
    qsort(kernels, n, sizeof *kernels, by_cost);
    return n;
}

wb_table *wb_view_source(const json_t *report, size_t width) {
    kernel *kernels[VIEW_LAUNCHES];
    size_t n = group(report, kernels), shown = n < MOST_KERNELS ? n : MOST_KERNELS, lines = 0;
    page p = {.sources = json_object_get(report, "sources")};
    for (size_t k = 0; k < shown; k++) {
        p.timed |= kernels[k]->timed;
        p.global |= kernels[k]->sectors > 0;
        p.shared |= kernels[k]->passes > 0;
        lines += kernels[k]->n;
    }
    size_t others = 6 + (p.timed ? 16 + 24 : 0) + (p.global ? 38 : 0) + (p.shared ? 24 : 0);
    p.room = width > others + NARROWEST ? width - others : NARROWEST;
    p.table = lines > 0 ? wb_table_new() : NULL;
    add_columns(&p);
    for (size_t k = 0; k < shown && lines > 0; k++)
        if (kernels[k]->n > 0)
            put_kernel(&p, kernels[k]);
    for (size_t k = 0; k < n; k++)
        free(kernels[k]);
    return p.table;
}
