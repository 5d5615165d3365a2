/* view_lines.c: which lines of the source the time goes to. */
#include <ctype.h>
#include <math.h>

#include "runtime/exec/view_launch.h"
#include "runtime/base/language.h"
#include "runtime/json/fields.h"

enum { MOST_KERNELS = 4, MOST_LINES = 8, MOST_SIZES = 6, NARROWEST = 20 };
#define LEAST_SHARE 0.01 /* of a line that gets a row */

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

static void quote_lines(source *s, json_t *lines) {
    json_t *line;
    size_t i;
    json_array_foreach(lines, i, line) {
        char *text =
            line_of(s, wb_field_text(line, "file"), (json_int_t)wb_field_number(line, "line"));
        if (text)
            json_object_set_new(line, "text", json_string(text));
        free(text);
    }
}

void wb_view_quote(json_t *report) {
    source s = {0};
    json_t *launch;
    size_t i;
    json_array_foreach(json_object_get(report, "launches"), i, launch) {
        quote_lines(&s, json_object_get(json_object_get(launch, "model"), "lines"));
        quote_lines(&s, json_object_get(launch, "lines"));
    }
    free(s.path);
    wb_buf_free(&s.text);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct cells { /* of a row; malloc'd */
    char *kernel, *place, *spent, *text;
    double shares[MOST_SIZES]; /* NAN: that size has no time */
} cells;

typedef struct listing {
    cells rows[MOST_KERNELS * (MOST_LINES + 2)];
    size_t n;
    const char *file;         /* that all its lines are of; NULL: there are several */
    double sizes[MOST_SIZES]; /* that the code ran with; where it had none: 0 alone */
    size_t n_sizes;
    const char *name; /* of what had these sizes */
} listing;

/* What holds a line up, or what it needs that others need too: "waits for loads", "memory". */
static const char *effort(const json_t *line, const char *limit) {
    static const struct {
        const char *limit, *words;
    } known[] = {{"issue", WB_N("instructions")}, {"atomics", WB_N("atomics in a queue")}};
    static const struct {
        const char *what, *words;
    } waits[] = {{"loads", WB_N("waits for loads")},
                 {"arithmetic", WB_N("waits for its results")},
                 {"shared memory", WB_N("waits for shared memory")},
                 {"atomic operations", WB_N("waits for atomics")},
                 {"the barrier", WB_N("waits at the barrier")},
                 {"their turn", WB_N("waits for its turn")},
                 {"nanosleep", WB_N("sleeps")}};
    for (size_t k = 0; k < WB_COUNT(known); k++)
        if (strcmp(known[k].limit, limit) == 0)
            return wb_tr(known[k].words);
    for (size_t k = 0; k < WB_COUNT(waits) && strcmp(limit, "latency") == 0; k++)
        if (strcmp(waits[k].what, wb_field_text(line, "waits_for")) == 0)
            return wb_tr(waits[k].words);
    return wb_tr(limit);
}

char *view_spent_on(const json_t *line) {
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

/* A kernel at the sizes that the code ran with; NULL: it has no time at that one. */
typedef struct kernel {
    const view_launch *longest, *at[MOST_SIZES];
} kernel;

static cells *add_row(listing *l, const kernel *k, bool first, char *place, char *spent,
                      char *text) {
    l->rows[l->n] = (cells){.kernel = first ? view_kernel(k->longest->launch) : strdup(""),
                            .place = place,
                            .spent = spent,
                            .text = text};
    return &l->rows[l->n++];
}

char *view_trimmed(const char *text) {
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
    char said[64];
    const char *name = file_name(wb_field_text(line, "file"));
    long long at = (long long)wb_field_number(line, "line");
    bool cell = strncmp(name, "cell [", 6) == 0;
    if (l->file)
        return wb_format("%lld", at);
    return wb_format(
        cell ? "%s, line %lld%s" : "%s:%lld%s", wb_language_file(name, said, sizeof said), at,
        json_is_true(json_object_get(line, "header")) && !cell ? wb_tr(" (header)") : "");
}

static bool gets_row(const json_t *line, size_t n) {
    return n < MOST_LINES && wb_field_number(line, "share") >= LEAST_SHARE;
}

static double share_of(const view_launch *r, const json_t *wanted) {
    const json_t *lines = r ? json_object_get(r->model, "lines") : NULL, *line;
    size_t i;
    json_array_foreach(lines, i, line) {
        if (wb_field_number(line, "line") == wb_field_number(wanted, "line") &&
            strcmp(wb_field_text(line, "file"), wb_field_text(wanted, "file")) == 0)
            return wb_field_number(line, "share");
    }
    return lines ? 0 : NAN;
}

static double share_of_all(const view_launch *r) {
    const json_t *lines = r ? json_object_get(r->model, "lines") : NULL, *line;
    double all = lines ? 0 : NAN;
    size_t i;
    json_array_foreach(lines, i, line) {
        all += wb_field_number(line, "share");
    }
    return all;
}

static void add_lines(listing *l, const kernel *k) {
    const json_t *lines = json_object_get(k->longest->model, "lines"), *line;
    double shown[MOST_SIZES] = {0}, all[MOST_SIZES] = {0}, others = 0, none = 0;
    size_t i, n = 0;
    json_array_foreach(lines, i, line) {
        if (!gets_row(line, n))
            continue;
        cells *c = add_row(l, k, n++ == 0, place_of(l, line), view_spent_on(line),
                           view_trimmed(wb_field_text(line, "text")));
        for (size_t s = 0; s < l->n_sizes; s++)
            shown[s] += c->shares[s] = share_of(k->at[s], line);
    }
    for (size_t s = 0; s < l->n_sizes; s++) {
        all[s] = share_of_all(k->at[s]);
        others = fmax(others, all[s] - shown[s]);
        none = fmax(none, 1 - all[s]);
    }
    if (others >= 0.005) {
        cells *c = add_row(l, k, n++ == 0, strdup(wb_tr("others")), strdup(""), strdup(""));
        for (size_t s = 0; s < l->n_sizes; s++)
            c->shares[s] = all[s] - shown[s];
    }
    if (none >= 0.005) {
        cells *c = add_row(l, k, n++ == 0, strdup(wb_tr("no line")), strdup(""),
                           wb_format("(the launch, blocks that begin and end%s)",
                                     wb_field_number(k->longest->model, "spilled") > 0
                                         ? wb_tr(", spilled registers")
                                         : ""));
        for (size_t s = 0; s < l->n_sizes; s++)
            c->shares[s] = 1 - all[s];
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

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

/* "share", or "n = 4096"; malloc'd. */
static char *share_title(const listing *l, size_t k) {
    return l->n_sizes > 1 ? wb_format("%s = %.0f", l->name, l->sizes[k]) : strdup(wb_tr("share"));
}

/* What is left of the width beside the other columns. */
static size_t room_for_source(const listing *l, const char *title, bool brief, size_t width) {
    size_t kernel = wb_table_width(wb_tr("kernel")), place = wb_table_width(title),
           spent = wb_table_width(wb_tr("spent on"));
    for (size_t k = 0; k < l->n; k++) {
        const cells *c = &l->rows[k];
        kernel = wider(kernel, c->kernel, strlen(c->kernel));
        place = wider(place, c->place, strlen(c->place));
        spent = wider(spent, c->spent, spent_len(c, brief));
    }
    size_t others = kernel + place + spent + 3 * 2;
    for (size_t k = 0; k < l->n_sizes; k++) {
        char *heading = share_title(l, k);
        others += 2 + (heading ? wb_table_width(heading) : 0);
        free(heading);
    }
    return width > others + NARROWEST ? width - others : NARROWEST;
}

static wb_table *table_of(const listing *l, size_t width) {
    char said[64];
    const char *file = l->file ? wb_language_file(file_name(l->file), said, sizeof said) : NULL;
    char *own = file ? wb_format("line of %s", file) : NULL;
    const char *title = own ? own : "line";
    bool brief = room_for_source(l, title, false, width) == NARROWEST;
    size_t room = room_for_source(l, title, brief, width);
    wb_table *table = wb_table_new();
    wb_table_column(table, "kernel", false);
    wb_table_column(table, title, l->file != NULL);
    for (size_t k = 0; k < l->n_sizes; k++) {
        char *heading = share_title(l, k);
        wb_table_column(table, heading ? heading : "", true);
        free(heading);
    }
    wb_table_column(table, "spent on", false);
    wb_table_column(table, "source", false);
    for (size_t k = 0; k < l->n; k++) {
        const cells *c = &l->rows[k];
        char *text = wb_utf8_cut(c->text, room);
        wb_table_row(table, *c->kernel && k > 0);
        wb_table_cell(table, "%s", c->kernel);
        wb_table_cell(table, "%s", c->place);
        for (size_t s = 0; s < l->n_sizes; s++)
            wb_table_cell(table, isnan(c->shares[s]) ? "-" : "%.0f %%", 100 * c->shares[s]);
        wb_table_cell(table, "%.*s", (int)spent_len(c, brief), c->spent);
        wb_table_cell(table, "%s", text ? text : "");
        free(text);
    }
    free(own);
    return table;
}

static void find_sizes(listing *l, const view_launch *rows, size_t n) {
    for (size_t k = 0; k < n && l->n_sizes < MOST_SIZES; k++) {
        double size = wb_field_number(rows[k].launch, "size");
        size_t s = 0;
        while (s < l->n_sizes && l->sizes[s] != size)
            s++;
        if (s == l->n_sizes)
            l->sizes[l->n_sizes++] = size;
    }
}

/* The kernels that are shown, from launches in the order of their times; their number. */
static size_t choose(const listing *l, const view_launch *rows, size_t n, kernel *chosen) {
    size_t kept = 0;
    for (size_t k = 0; k < n && kept < MOST_KERNELS; k++) {
        if (view_repeats(rows, k) || json_array_size(json_object_get(rows[k].model, "lines")) == 0)
            continue;
        kernel *c = &chosen[kept++];
        *c = (kernel){.longest = &rows[k]};
        for (size_t i = n; i-- > k;)
            for (size_t s = 0; s < l->n_sizes; s++)
                if (wb_field_number(rows[i].launch, "size") == l->sizes[s] &&
                    view_same_kernel(&rows[i], &rows[k]))
                    c->at[s] = &rows[i];
    }
    return kept;
}

/* The file of all lines that get a row, or NULL. */
static const char *only_file(const kernel *kernels, size_t n) {
    const char *file = NULL;
    for (size_t k = 0; k < n; k++) {
        const json_t *line;
        size_t i;
        json_array_foreach(json_object_get(kernels[k].longest->model, "lines"), i, line) {
            if (gets_row(line, i) && file && strcmp(file, wb_field_text(line, "file")) != 0)
                return NULL;
            if (gets_row(line, i))
                file = wb_field_text(line, "file");
        }
    }
    return file;
}

wb_table *wb_view_model_lines(const json_t *report, size_t width) {
    view_launch rows[VIEW_LAUNCHES];
    json_int_t left_out = 0;
    size_t n = view_launches(report, rows, &left_out);
    listing l = {.name = wb_field_text(report, "sized")};
    kernel kernels[MOST_KERNELS];
    bool complete = true;
    find_sizes(&l, rows, n);
    view_longest_first(rows, n);
    n = choose(&l, rows, n, kernels);
    l.file = only_file(kernels, n);
    for (size_t k = 0; k < n; k++)
        add_lines(&l, &kernels[k]);
    for (size_t k = 0; k < l.n; k++)
        complete &= l.rows[k].kernel && l.rows[k].place && l.rows[k].spent && l.rows[k].text;
    wb_table *table = l.n > 0 && complete ? table_of(&l, width) : NULL;
    for (size_t k = 0; k < l.n; k++)
        WB_FREE(l.rows[k].kernel, l.rows[k].place, l.rows[k].spent, l.rows[k].text);
    return table;
}
