/* line.c: walks valid JSON text along a path. */
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

bool wb_json_fail(wb_error *err, const char *file, const char *text, size_t len, const char *path,
                  const char *what) {
    return wb_fail(err, 1, "%.250s:%d: %s%s%s", file, wb_json_line(text, len, path), path,
                   *path ? ": " : "", what);
}
