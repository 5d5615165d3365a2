/* view_lines.c: the text of source lines, and their limits by the model. */

#include "runtime/exec/view_count.h"
#include "runtime/json/fields.h"

/* ---- the source ------------------------------------------------------------------------------ */

typedef struct source { /* the last file read */
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
    wb_buf plain = {0};
    size_t len;
    const char *at = wb_text_line(s->text.data, (int)line, &len);
    if (at) /* a file may contain any bytes */
        wb_utf8_plain(&plain, at, len);
    return wb_buf_steal(&plain);
}

static void quote_lines(source *s, json_t *lines) {
    WB_JSON_EACH(line, lines) {
        char *text =
            line_of(s, wb_field_text(line, "file"), (json_int_t)wb_field_number(line, "line"));
        if (text)
            json_object_set_new(line, "text", json_string(text));
        free(text);
    }
}

void wb_view_quote(json_t *report) {
    source s = {0};
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        quote_lines(&s, json_object_get(json_object_get(launch, "model"), "lines"));
        quote_lines(&s, json_object_get(launch, "lines"));
    }
    free(s.path);
    wb_buf_free(&s.text);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Returns a line's limit as text: "waits for loads", "memory". */
static const char *effort(const json_t *line, const char *limit) {
    static const struct {
        const char *limit, *words;
    } known[] = {{"issue", N_("instructions")}, {"atomics", N_("atomics in a queue")}};
    static const struct {
        const char *what, *words;
    } waits[] = {{"loads", N_("waits for loads")},
                 {"arithmetic", N_("waits for its results")},
                 {"shared memory", N_("waits for shared memory")},
                 {"atomic operations", N_("waits for atomics")},
                 {"the barrier", N_("waits at the barrier")},
                 {"their turn", N_("waits for its turn")},
                 {"nanosleep", N_("sleeps")}};
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
