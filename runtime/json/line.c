/* line.c: walks JSON text along a path, and words its mistakes. */
#include "runtime/json/line.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static void skip_string(cursor *c) {
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\')
            c->at++;
    if (c->at < c->end)
        c->at++;
    else
        c->at = c->end;
}

/* Skips one value: scalars by their delimiters, containers by their depth. */
static void skip_value(cursor *c) {
    int depth = 0;
    skip_space(c);
    while (c->at < c->end) {
        char ch = *c->at;
        if (ch == '"') {
            skip_string(c);
        } else if (ch == '{' || ch == '[') {
            depth++;
            c->at++;
        } else if (ch == '}' || ch == ']') {
            if (depth == 0)
                return;
            depth--;
            c->at++;
        } else if (depth == 0 && ch == ',') {
            return;
        } else {
            c->at++;
        }
        if (depth == 0 && (ch == '"' || ch == '}' || ch == ']'))
            return;
    }
}

/* Moves to the value of key name[0..len) of the object at c. Returns false if it has none. */
static bool enter_key(cursor *c, const char *name, size_t len) {
    if (c->at >= c->end || *c->at != '{')
        return false;
    c->at++;
    for (;;) {
        skip_space(c);
        if (c->at >= c->end || *c->at != '"')
            return false;
        const char *key = c->at + 1;
        skip_string(c);
        bool found = (size_t)(c->at - key) == len + 1 && memcmp(key, name, len) == 0;
        skip_space(c);
        if (c->at < c->end && *c->at == ':')
            c->at++;
        skip_space(c);
        if (found)
            return true;
        skip_value(c);
        skip_space(c);
        if (c->at < c->end && *c->at == ',')
            c->at++;
    }
}

static bool enter_index(cursor *c, long index) {
    if (c->at >= c->end || *c->at != '[')
        return false;
    c->at++;
    skip_space(c);
    for (; index > 0; index--) {
        skip_value(c);
        skip_space(c);
        if (c->at >= c->end || *c->at != ',')
            return false;
        c->at++;
        skip_space(c);
    }
    return c->at < c->end && *c->at != ']';
}

int wb_json_line(const char *text, size_t len, const char *path) {
    cursor c = {text, text + len};
    skip_space(&c);
    while (*path) {
        cursor next = c;
        bool ok;
        if (*path == '[') {
            char *after;
            ok = enter_index(&next, strtol(path + 1, &after, 10));
            path = *after == ']' ? after + 1 : after + strlen(after);
        } else {
            path += *path == '.';
            size_t n = strcspn(path, ".[");
            ok = enter_key(&next, path, n);
            path += n;
        }
        if (!ok)
            break;
        c = next;
    }
    return wb_line_at(text, c.at);
}

bool wb_json_fail(const wb_json_source *s, const char *path, const char *key, const char *format,
                  ...) {
    char what[700], where[300];
    WB_FORMAT_INTO(what, format);
    snprintf(where, sizeof where, "%.200s%s%.60s", path, *path && *key ? "." : "", key);
    return wb_fail(s->err, 1, "%.250s:%d: %s%s%s", s->file, wb_json_line(s->text, s->len, where),
                   where, *where ? ": " : "", what);
}

json_t *wb_json_parse(const wb_json_source *s) {
    json_error_t wrong;
    json_t *document = json_loadb(s->text, s->len, JSON_REJECT_DUPLICATES, &wrong);
    if (!document)
        wb_fail(s->err, 1, _("%.250s:%d: expected valid JSON, %.160s"), s->file,
                wrong.line > 0 ? wrong.line : 1, wrong.text);
    return document;
}

bool wb_json_known(const wb_json_source *s, const char *path, const json_t *object,
                   const char *const *names, size_t n) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        size_t i = 0;
        while (i < n && strcmp(key, names[i]) != 0)
            i++;
        if (i == n)
            return wb_json_fail(s, path, key, _("there is no such key%s"),
                                wb_text_meant(key, names, n));
    }
    return true;
}
