/* cuts.c: see cuts.h. */
#include "runtime/compile/standby/cuts.h"

#include <stdlib.h>
#include <string.h>

/* Of `# 12 "file" 1 3`. */
typedef struct marker {
    const char *name; /* behind the quotation mark; NULL: not a marker */
    size_t len;
    bool returns; /* to this file */
} marker;

static marker read_marker(const char *line, size_t len) {
    marker m = {NULL, 0, false};
    if (len < 5 || line[0] != '#' || line[1] != ' ' || line[2] < '0' || line[2] > '9')
        return m;
    const char *name = memchr(line, '"', len), *end = name ? memrchr(line, '"', len) : NULL;
    if (!name || end == name)
        return m;
    m = (marker){name + 1, (size_t)(end - name - 1), false};
    for (const char *p = end + 1; p < line + len; p++)
        m.returns |= *p == '2' && p[-1] == ' ' && (p + 1 == line + len || p[1] == ' ');
    return m;
}

static bool is_named(const marker *m, const char *name) {
    return m->len == strlen(name) && memcmp(m->name, name, m->len) == 0;
}

/* Whether it is the unit itself, or what the compiler reads before. */
static bool is_own(const standby_names *names, const marker *m) {
    static const char *const known[] = {"warpbook", "<built-in>", "<command-line>"};
    for (size_t i = 0; i < WB_COUNT(known); i++)
        if (is_named(m, known[i]))
            return true;
    size_t cwd = strlen(names->cwd);
    return is_named(m, names->cell) || (m->len > 6 && memcmp(m->name, "cell [", 6) == 0) ||
           (m->len == cwd + 2 && memcmp(m->name, names->cwd, cwd) == 0);
}

static bool add_cut(standby_cuts *c, size_t at) {
    standby_cut *more = realloc(c->v, (c->n + 1) * sizeof *more);
    if (!more)
        return false;
    c->v = more;
    c->v[c->n++] = (standby_cut){.at = at, .hidden = c->text.len};
    return true;
}

static bool is_blank(const char *line, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

/* Each sum goes on from that before. */
static bool add_keys(standby_cuts *c, const char *first) {
    char sum[WB_SHA256_TEXT];
    wb_sha256(first, strlen(first), sum);
    size_t from = 0;
    wb_buf part = {0};
    for (size_t i = 0; i < c->n; i++) {
        wb_buf_clear(&part);
        wb_buf_puts(&part, sum);
        wb_buf_append(&part, c->text.data + from, c->v[i].hidden - from);
        wb_sha256(part.data, part.len, sum);
        memcpy(c->v[i].key, sum, sizeof sum);
        from = c->v[i].hidden;
    }
    bool ok = !part.failed;
    wb_buf_free(&part);
    return ok;
}

bool standby_cuts_find(standby_cuts *c, const standby_names *names, const char *text,
                       const char *first) {
    *c = (standby_cuts){.n = 0};
    bool own = true, ok = true;
    const char *plain = text; /* lines that are taken as they are */
    for (const char *line = text, *next; ok && *line; line = next) {
        const char *end = strchrnul(line, '\n');
        size_t len = (size_t)(end - line);
        next = *end ? end + 1 : end;
        marker m = *line == '#' ? read_marker(line, len) : (marker){.name = NULL};
        if (!m.name) {
            if (own && !is_blank(line, len))
                break;
            continue;
        }
        own = is_own(names, &m);
        if (!own)
            continue;
        wb_buf_append(&c->text, plain, (size_t)(line - plain));
        if (m.returns)
            ok = add_cut(c, (size_t)(line - text));
        standby_names_hide_line(names, &c->text, line, len);
        wb_buf_append(&c->text, end, (size_t)(next - end));
        plain = next;
    }
    ok = ok && c->n && !c->text.failed;
    if (ok)
        c->text.len = c->v[c->n - 1].hidden;
    return ok && add_keys(c, first);
}

void standby_cuts_free(standby_cuts *c) {
    wb_buf_free(&c->text);
    free(c->v);
    *c = (standby_cuts){.n = 0};
}
