/* hint.c: see hint.h. */
#include "runtime/compile/hint.h"

#include <ctype.h>
#include <string.h>

typedef struct search {
    const wb_live *live;
    char *text;
} search;

static void look_at(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    const wb_live_entity *x = s->text ? NULL : wb_live_find(s->live, word, len);
    if (x && x->e.kind == WB_ENTITY_HIDDEN)
        s->text = wb_format("%.*s is known from cell [%d], but %s.", (int)len, word, x->number,
                            x->e.text);
}

/* A name that an earlier cell made, and that can't be had: only what stands in quotes is a name. */
static char *hidden_name(const wb_live *live, const char *text) {
    search s = {live, NULL};
    for (const char *open = strchr(text, '"'); open && !s.text;) {
        const char *close = strchr(open + 1, '"');
        if (!close)
            break;
        wb_words(open + 1, (size_t)(close - open - 1), look_at, &s);
        open = strchr(close + 1, '"');
    }
    return s.text;
}

/* The name in '"gamma"', '"double gamma(double) noexcept(true)"' or '"char *tzname[2]"'. */
static size_t declared_name(const char *quoted, const char **name) {
    size_t end = strcspn(quoted, "([\""), n = end;
    while (n > 0 && (isalnum((unsigned char)quoted[n - 1]) || quoted[n - 1] == '_'))
        n--;
    *name = quoted + n;
    return end - n;
}

/* "declaration is incompatible with ... "index" (declared at line 48 of /usr/include/strings.h)".
 */
static char *library_name(const char *text) {
    const char *quote = strchr(text, '"'), *name;
    if (strncmp(text, "declaration is incompatible with ", 33) != 0 || !quote ||
        !strstr(text, "(declared at line ") || !strstr(text, " of /"))
        return NULL;
    size_t n = declared_name(quote + 1, &name);
    if (n == 0)
        return NULL;
    return wb_format(
        "%.*s is known from a header, so nothing else at the top of a cell can have its "
        "name; call it something else (%.*s_), or put the statements that use it "
        "in { }.",
        (int)n, name, (int)n, name);
}

/* "undefined reference to `f(int)'": declared, and defined nowhere. */
static char *undefined_reference(const char *text) {
    static const char head[] = "undefined reference to `";
    const char *name = strstr(text, head);
    if (!name)
        return NULL;
    name += sizeof head - 1;
    const char *end = strrchr(name, '\'');
    size_t n = end ? (size_t)(end - name) : strlen(name);
    return wb_format(
        "%.*s is declared, but neither this cell nor an earlier one defines it; define "
        "it in this cell, or in one that is run before.",
        (int)n, name);
}

static char *own_name(const char *text) {
    if (strcmp(text, "\"wb\" has already been declared in the current scope") != 0)
        return NULL;
    return wb_format(
        "wb is Warpbook's own (wb::display and its relatives); call it something else.");
}

static char *array_size(const char *text) {
    if (strcmp(text, "expression must have a constant value") != 0)
        return NULL;
    return wb_format("An array at the top of a cell needs a size that the compiler knows, a number "
                     "or a const int; with any other size, use malloc or std::vector.");
}

/* 'identifier "n" is undefined in device code': a variable of the host in a kernel or a lambda. */
static char *host_variable(const wb_live *live, const char *text) {
    static const char head[] = "identifier \"", tail[] = "\" is undefined in device code";
    const char *name = text + sizeof head - 1;
    size_t n = strncmp(text, head, sizeof head - 1) == 0 ? strcspn(name, "\"") : 0;
    if (n == 0 || strncmp(name + n, tail, sizeof tail - 1) != 0)
        return NULL;
    const wb_live_entity *x = wb_live_find(live, name, n);
    if (x && x->e.kind == WB_ENTITY_DEVICE_VARIABLE)
        return wb_format(
            "%.*s is the device's, from cell [%d]: kernels and __device__ functions of "
            "this cell see it, a lambda in its statements does not.",
            (int)n, name, x->number);
    return wb_format("%.*s is a variable of the host, which the device can't see: hand it to the "
                     "kernel as an argument. A lambda takes it along as [=] __device__, or "
                     "[%.*s = %.*s] __device__; one for both sides, __host__ __device__, only "
                     "inside a function or { }, from variables that are defined there.",
                     (int)n, name, (int)n, name, (int)n, name);
}

char *wb_hint(const wb_live *live, const char *text) {
    char *hint = hidden_name(live, text);
    hint = hint ? hint : library_name(text);
    hint = hint ? hint : undefined_reference(text);
    hint = hint ? hint : own_name(text);
    hint = hint ? hint : host_variable(live, text);
    return hint ? hint : array_size(text);
}
