/* view_lines.c: which lines of the source the time goes to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/exec/view_launch.h"

enum { MOST_KERNELS = 4, MOST_LINES = 8, NARROWEST = 20 };
#define LEAST_SHARE 0.01 /* of a line that gets a row */

static double number(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static const char *string(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- the source ------------------------------------------------------------------------------ */

typedef struct source { /* the file that was read last */
    char *path;
    wb_buf text;
} source;

static char *line_of(source *s, const char *path, json_int_t line) {
    if (!s->path || strcmp(s->path, path) != 0) {
        free(s->path);
        wb_buf_free(&s->text);
        s->text = (wb_buf){0};
        s->path = strdup(path);
        wb_file_read(path, 0, &s->text, NULL);
    }
    const char *at = s->text.data;
    while (at && --line > 0)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    wb_buf plain = {0};
    if (at) /* a file may hold any bytes */
        wb_utf8_plain(&plain, at, strcspn(at, "\n"));
    return wb_buf_steal(&plain);
}

void wb_view_quote(json_t *report) {
    source s = {0};
    json_t *launch, *line;
    size_t i, j;
    json_array_foreach(json_object_get(report, "launches"), i, launch) {
        json_array_foreach(json_object_get(json_object_get(launch, "model"), "lines"), j, line) {
            char *text = line_of(&s, string(line, "file"), (json_int_t)number(line, "line"));
            if (text)
                json_object_set_new(line, "text", json_string(text));
            free(text);
        }
    }
    free(s.path);
    wb_buf_free(&s.text);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct cells { /* of a row; malloc'd but for share */
    char *kernel, *place, *spent, *text;
    double share;
} cells;

typedef struct listing {
    cells rows[MOST_KERNELS * (MOST_LINES + 2)];
    size_t n;
    const char *file; /* that all its lines are of; NULL: there are several */
} listing;

/* What holds a line up, or what it needs that others need too: "waits for loads", "memory". */
static const char *effort(const json_t *line, const char *limit) {
    static const struct {
        const char *limit, *words;
    } known[] = {{"issue", "instructions"}, {"atomics", "atomics in a queue"}};
    static const struct {
        const char *what, *words;
    } waits[] = {{"loads", "waits for loads"},
                 {"arithmetic", "waits for its results"},
                 {"shared memory", "waits for shared memory"},
                 {"atomic operations", "waits for atomics"},
                 {"the barrier", "waits at the barrier"},
                 {"their turn", "waits for its turn"},
                 {"nanosleep", "sleeps"}};
    for (size_t k = 0; k < WB_COUNT(known); k++)
        if (strcmp(known[k].limit, limit) == 0)
            return known[k].words;
    for (size_t k = 0; k < WB_COUNT(waits) && strcmp(limit, "latency") == 0; k++)
        if (strcmp(waits[k].what, string(line, "waits_for")) == 0)
            return waits[k].words;
    return limit;
}

/* The limit that the line has most to do with, and the next where that is half of it or more. */
static char *spent_on(const json_t *line) {
    const char *most = "", *next = "", *key;
    double first = 0, second = 0;
    json_t *value;
    json_object_foreach(json_object_get(line, "limits"), key, value) {
        double share = json_number_value(value);
        if (share > first) {
            second = first;
            next = most;
            first = share;
            most = key;
        } else if (share > second) {
            second = share;
            next = key;
        }
    }
    return wb_format("%s%s%s", effort(line, most), second >= first / 2 && *next ? ", " : "",
                     second >= first / 2 && *next ? effort(line, next) : "");
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_row(listing *l, char *kernel, char *place, double share, char *spent, char *text) {
    l->rows[l->n++] = (cells){kernel, place, spent, text, share};
}

static char *trimmed(const char *text) {
    while (isspace((unsigned char)*text))
        text++;
    char *copy = strdup(text);
    size_t len = copy ? strlen(copy) : 0;
    while (len > 0 && isspace((unsigned char)copy[len - 1]))
        copy[--len] = '\0';
    for (char *p = copy; p && *p; p++)
        *p = *p == '\t' ? ' ' : *p;
    return copy;
}

/* "12" where there is one file, else "cell [3], line 12" or "tile.cuh:3 (header)". */
static char *place_of(const listing *l, const json_t *line) {
    const char *name = file_name(string(line, "file"));
    long long at = (long long)number(line, "line");
    bool cell = strncmp(name, "cell [", 6) == 0;
    if (l->file)
        return wb_format("%lld", at);
    return wb_format(cell ? "%s, line %lld%s" : "%s:%lld%s", name, at,
                     json_is_true(json_object_get(line, "header")) && !cell ? " (header)" : "");
}

static bool gets_row(const json_t *line, size_t n) {
    return n < MOST_LINES && number(line, "share") >= LEAST_SHARE;
}

static void add_lines(listing *l, const view_launch *r) {
    const json_t *lines = json_object_get(r->model, "lines"), *line;
    double shown = 0, all = 0;
    size_t i, n = 0, others = 0;
    json_array_foreach(lines, i, line) {
        double share = number(line, "share");
        all += share;
        if (!gets_row(line, n)) {
            others++;
            continue;
        }
        add_row(l, n++ ? strdup("") : view_kernel(r->launch), place_of(l, line), share,
                spent_on(line), trimmed(string(line, "text")));
        shown += share;
    }
    if (all - shown >= 0.005)
        add_row(l, n++ ? strdup("") : view_kernel(r->launch),
                wb_format("%zu other%s", others, others == 1 ? "" : "s"), all - shown, strdup(""),
                strdup(""));
    if (1 - all >= 0.005)
        add_row(l, n++ ? strdup("") : view_kernel(r->launch), strdup("no line"), 1 - all,
                strdup(""),
                wb_format("(the launch, blocks that begin and end%s)",
                          number(r->model, "spilled") > 0 ? ", spilled registers" : ""));
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The text in `width` columns at most; malloc'd. */
static char *cut(const char *text, size_t width) {
    char *copy = strdup(text);
    size_t len = copy ? strlen(copy) : 0;
    if (!copy || wb_table_width(copy) <= width)
        return copy;
    while (len > 0 && wb_table_width(copy) + 1 > width) {
        while (len > 1 && ((unsigned char)copy[len - 1] & 0xC0) == 0x80)
            len--;
        copy[--len] = '\0';
    }
    char *marked = wb_format("%s…", copy);
    free(copy);
    return marked;
}

static size_t wider(size_t a, const char *text, size_t len) {
    char *some = wb_format("%.*s", (int)len, text);
    size_t b = some ? wb_table_width(some) : 0;
    free(some);
    return a > b ? a : b;
}

/* Of what a line is spent on, with `brief` the first alone. */
static size_t spent_len(const cells *c, bool brief) {
    return brief ? strcspn(c->spent, ",") : strlen(c->spent);
}

/* What is left of the width beside the other columns. */
static size_t room_for_source(const listing *l, const char *title, bool brief, size_t width) {
    size_t kernel = strlen("kernel"), place = wb_table_width(title), spent = strlen("spent on");
    for (size_t k = 0; k < l->n; k++) {
        const cells *c = &l->rows[k];
        kernel = wider(kernel, c->kernel, strlen(c->kernel));
        place = wider(place, c->place, strlen(c->place));
        spent = wider(spent, c->spent, spent_len(c, brief));
    }
    size_t others = kernel + place + strlen("share") + spent + 4 * 2;
    return width > others + NARROWEST ? width - others : NARROWEST;
}

static wb_table *table_of(const listing *l, size_t width) {
    char *own = l->file ? wb_format("line of %s", file_name(l->file)) : NULL;
    const char *title = own ? own : "line";
    bool brief = room_for_source(l, title, false, width) == NARROWEST;
    size_t room = room_for_source(l, title, brief, width);
    wb_table *table = wb_table_new();
    wb_table_column(table, "kernel", false);
    wb_table_column(table, title, l->file != NULL);
    wb_table_column(table, "share", true);
    wb_table_column(table, "spent on", false);
    wb_table_column(table, "source", false);
    for (size_t k = 0; k < l->n; k++) {
        const cells *c = &l->rows[k];
        char *text = cut(c->text, room);
        wb_table_row(table, *c->kernel && k > 0);
        wb_table_cell(table, "%s", c->kernel);
        wb_table_cell(table, "%s", c->place);
        wb_table_cell(table, "%.0f %%", 100 * c->share);
        wb_table_cell(table, "%.*s", (int)spent_len(c, brief), c->spent);
        wb_table_cell(table, "%s", text ? text : "");
        free(text);
    }
    free(own);
    return table;
}

static double time_of(const view_launch *r) {
    return (double)r->calls * number(r->model, "seconds");
}

static int by_time(const void *a, const void *b) {
    double x = time_of(a), y = time_of(b);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Is there a longer launch of the same kernel before it? */
static bool repeated(const view_launch *rows, size_t k) {
    for (size_t i = 0; i < k; i++)
        if (strcmp(string(rows[i].launch, "symbol"), string(rows[k].launch, "symbol")) == 0)
            return true;
    return false;
}

/* The launches that are shown come first; their number. */
static size_t choose(view_launch *rows, size_t n) {
    size_t kept = 0;
    qsort(rows, n, sizeof *rows, by_time);
    for (size_t k = 0; k < n && kept < MOST_KERNELS; k++)
        if (!repeated(rows, k) && json_array_size(json_object_get(rows[k].model, "lines")) > 0)
            rows[kept++] = rows[k];
    return kept;
}

/* The file of all lines that get a row, or NULL. */
static const char *only_file(const view_launch *rows, size_t n) {
    const char *file = NULL;
    for (size_t k = 0; k < n; k++) {
        const json_t *line;
        size_t i;
        json_array_foreach(json_object_get(rows[k].model, "lines"), i, line) {
            if (gets_row(line, i) && file && strcmp(file, string(line, "file")) != 0)
                return NULL;
            if (gets_row(line, i))
                file = string(line, "file");
        }
    }
    return file;
}

wb_table *wb_view_model_lines(const json_t *report, size_t width) {
    view_launch rows[VIEW_LAUNCHES];
    json_int_t left_out = 0;
    size_t n = choose(rows, view_launches(report, rows, &left_out));
    listing l = {.file = only_file(rows, n)};
    bool complete = true;
    for (size_t k = 0; k < n; k++)
        add_lines(&l, &rows[k]);
    for (size_t k = 0; k < l.n; k++)
        complete &= l.rows[k].kernel && l.rows[k].place && l.rows[k].spent && l.rows[k].text;
    wb_table *table = l.n > 0 && complete ? table_of(&l, width) : NULL;
    for (size_t k = 0; k < l.n; k++) {
        free(l.rows[k].kernel);
        free(l.rows[k].place);
        free(l.rows[k].spent);
        free(l.rows[k].text);
    }
    return table;
}
