/* names.c: see names.h. */
#include "runtime/worker/client/names.h"
#include "runtime/base/scoped.h"

#include "runtime/cells/split/split.h"

static const char head[] = "cell [";
enum { HEAD = sizeof head - 1, NAME = HEAD + WB_NAMES_ID + 1 };

/* A macro's "#x" may stringify this prefix, which the user did not write (ambiguous.h). */
static const char aside[] = WB_ASIDE "::";
enum { ASIDE = sizeof aside - 1 };

struct wb_names {
    struct {
        char id[WB_NAMES_ID];
        int number;
    } * cells;
    size_t n;
};

wb_names *wb_names_new(void) {
    return calloc(1, sizeof(wb_names));
}

void wb_names_free(wb_names *names) {
    if (names)
        free(names->cells);
    free(names);
}

static size_t find(const wb_names *names, const char *id) {
    size_t i = names->n;
    while (i > 0 && memcmp(names->cells[i - 1].id, id, WB_NAMES_ID) != 0)
        i--;
    return i; /* index + 1; 0: not found */
}

void wb_names_add(wb_names *names, const char *id, int number) {
    size_t i = find(names, id);
    if (i == 0) {
        if (!WB_PUSH(names->cells, names->n))
            return;
        i = names->n;
        memcpy(names->cells[i - 1].id, id, WB_NAMES_ID);
    }
    names->cells[i - 1].number = number;
}

/* Returns the next "cell [" in [p, end), or with `scopes` the next "__wb_aside::", or end. */
static const char *next_head(const char *p, const char *end, bool scopes) {
    const char *at = p < end ? memmem(p, (size_t)(end - p), head, HEAD) : NULL;
    const char *scope = p < end && scopes ? memmem(p, (size_t)(end - p), aside, ASIDE) : NULL;
    if (scope && (!at || scope < at))
        return scope;
    return at ? at : end;
}

static void append(const wb_names *names, wb_buf *out, const char *text, size_t len, bool scopes) {
    const char *end = text + len;
    for (const char *p = text; p < end;) {
        const char *at = next_head(p, end, scopes);
        wb_buf_append(out, p, (size_t)(at - p));
        p = at;
        if (at == end)
            break;
        if (*at == aside[0]) {
            p += ASIDE;
            continue;
        }
        size_t i = end - at >= NAME && at[NAME - 1] == ']' ? find(names, at + HEAD) : 0;
        if (i > 0)
            wb_buf_printf(out, "%s%d]", head, names->cells[i - 1].number);
        else
            wb_buf_append(out, at, HEAD);
        p += i > 0 ? NAME : HEAD;
    }
}

void wb_names_append(const wb_names *names, wb_buf *out, const char *text, size_t len) {
    append(names, out, text, len, true);
}

void wb_names_text(const wb_names *names, char **text) {
    wb_buf out = {0};
    if (!*text || !strstr(*text, head))
        return;
    append(names, &out, *text, strlen(*text), false);
    char *plain = wb_buf_steal(&out);
    if (plain) {
        free(*text);
        *text = plain;
    }
}

json_t *wb_names_json(const wb_names *names, json_t *value) {
    WB_SCOPED char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (!text || !strstr(text, head))
        return value;
    wb_names_text(names, &text);
    json_t *plain = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!plain)
        return value;
    json_decref(value);
    return plain;
}

size_t wb_names_open(const char *text, size_t len) {
    size_t most = len < NAME - 1 ? len : NAME - 1;
    size_t scope = len < ASIDE - 1 ? len : ASIDE - 1;
    while (scope > 0 && memcmp(text + len - scope, aside, scope) != 0)
        scope--;
    if (scope > 0)
        return scope;
    for (size_t n = most; n > 0; n--) {
        const char *p = text + len - n;
        size_t words = n < HEAD ? n : HEAD;
        if (*p == head[0] && memcmp(p, head, words) == 0 &&
            strspn(p + words, "0123456789abcdef") >= n - words)
            return n;
    }
    return 0;
}
