/* hint_slip.c: see hint_slip.h. */
#include "runtime/cells/hint/hint_slip.h"
#include "runtime/base/language.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The n'th text in quotes, from 0 on; 0: there is none. */
static size_t quoted(const char *text, int n, const char **at) {
    const char *open = strchr(text, '"'), *close = open ? strchr(open + 1, '"') : NULL;
    for (; close && n > 0; n--) {
        open = strchr(close + 1, '"');
        close = open ? strchr(open + 1, '"') : NULL;
    }
    *at = open ? open + 1 : NULL;
    return close ? (size_t)(close - open - 1) : 0;
}

static char *types(const char *text) {
    const char *given, *wanted;
    if (strncmp(text, "argument of type \"", 18) != 0 ||
        !strstr(text, "is incompatible with parameter of type"))
        return NULL;
    size_t n = quoted(text, 0, &given), m = quoted(text, 1, &wanted);
    if (!n || !m || given[n - 1] != '*' || wanted[m - 1] != '*')
        return NULL;
    return wb_format("The function takes a %.*s, and is given a %.*s: elements of one type and of "
                     "the other lie differently in memory, so declare both with the same.",
                     (int)m, wanted, (int)n, given);
}

/* Of a launch: what other calls lack is often told by the error before it. */
static char *arguments(const char *text, const char *excerpt) {
    if (!excerpt || !strstr(excerpt, "<<<"))
        return NULL;
    bool few = strcmp(text, "too few arguments in function call") == 0;
    if (!few && strcmp(text, "too many arguments in function call") != 0)
        return NULL;
    return wb_format(few ? "The call has fewer arguments than the function has parameters: its "
                           "name with a ? behind it, alone in a cell, shows how it is declared."
                         : "The call has more arguments than the function has parameters: its "
                           "name with a ? behind it, alone in a cell, shows how it is declared.");
}

/* atomicAdd(a[0], 1) and atomicAdd(a, 1) of an array of char. */
static char *atomic(const char *text) {
    const char *name, *types = strstr(text, "argument types are: (");
    if (strncmp(text, "no instance of overloaded function \"atomic", 42) != 0 || !types)
        return NULL;
    size_t n = quoted(text, 0, &name), m = strcspn(types += 21, ",)");
    if (m == 0 || types[m - 1] != '*')
        return wb_format("%.*s takes the address of what it changes: %.*s(&x, ...), or a pointer.",
                         (int)n, name, (int)n, name);
    return wb_format("%.*s does not know %.*s: it works on int, unsigned, unsigned long long and, "
                     "for some operations, float and double. Count in one of these.",
                     (int)n, name, (int)m, types);
}

/* Where the compiler points to a line's first word, the line before it is at fault. */
static char *semicolon(const char *text, const char *excerpt) {
    const char *mark = excerpt ? strchr(excerpt, '\n') : NULL;
    size_t from = excerpt ? strspn(excerpt, " \t") : 0;
    if (strcmp(text, "expected a \";\"") != 0 || !mark || strspn(mark + 1, " \t") != from ||
        mark[1 + from] != '^')
        return NULL;
    return wb_format("A statement ends with a ; and what stands before this place has none: look "
                     "at the end of the line above, too.");
}

/* "auto [low, high] = flags();": later cells use a reference to each. */
static char *bit_field(const char *text, const char *excerpt) {
    if (strcmp(text, "taking the address of a bit field is not allowed") != 0 || !excerpt ||
        !strstr(excerpt, "auto") || !strchr(excerpt, '['))
        return NULL;
    return wb_format("Later cells can't be told where a bit field lies: give the whole a name "
                     "(auto flags = ...;) and use its members, or do it within { }.");
}

char *wb_hint_slip(const char *text, const char *excerpt) {
    char *hint = types(text);
    hint = hint ? hint : bit_field(text, excerpt);
    hint = hint ? hint : arguments(text, excerpt);
    hint = hint ? hint : atomic(text);
    return hint ? hint : semicolon(text, excerpt);
}

/* ---- names of the cell itself --------------------------------------------------------------- */

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Is the word at `at` a variable that is declared there: behind a type, before "=", ";", "," or
 * "["? */
static bool is_declared(const char *code, const char *at, size_t len) {
    const char *before = at, *behind = at + len + strspn(at + len, " ");
    while (before > code && (before[-1] == ' ' || before[-1] == '*' || before[-1] == '&'))
        before--;
    bool type = before < at && before > code && in_name(before[-1]);
    bool returned = before - code >= 6 && strncmp(before - 6, "return", 6) == 0;
    return type && !returned && *behind && strchr("=;,[)", *behind) && behind[1] != '=';
}

char *wb_hint_local(const char *code, const char *text) {
    const char *name;
    if (!code || strncmp(text, "identifier \"", 12) != 0 || !strstr(text, "\" is undefined") ||
        strstr(text, "in device code"))
        return NULL;
    size_t len = quoted(text, 0, &name);
    int line = 1;
    for (const char *p = code; len && *p; line += *p++ == '\n') {
        bool word =
            strncmp(p, name, len) == 0 && !in_name(p[len]) && (p == code || !in_name(p[-1]));
        if (word && is_declared(code, p, len))
            return wb_format("%.*s of line %d is known only within the { } or the function that it "
                             "stands in: declare it before these, or hand it on as an argument.",
                             (int)len, name, line);
    }
    return NULL;
}

/* How many letters differ, at most one put in, left out or swapped: 1, else 2. */
static int far(const char *a, size_t n, const char *b, size_t m) {
    size_t head = 0, tail = 0;
    while (head < n && head < m && a[head] == b[head])
        head++;
    while (tail < n - head && tail < m - head && a[n - 1 - tail] == b[m - 1 - tail])
        tail++;
    size_t left = n - head - tail, right = m - head - tail;
    bool swapped = left == 2 && right == 2 && a[head] == b[head + 1] && a[head + 1] == b[head];
    return (left <= 1 && right <= 1) || swapped ? 1 : 2;
}

char *wb_hint_near(const char *code, const char *text) {
    const char *name;
    if (!code || strncmp(text, "identifier \"", 12) != 0 || !strstr(text, "\" is undefined"))
        return NULL;
    size_t len = quoted(text, 0, &name);
    for (const char *p = code; len >= 4 && *p; p++) {
        if (!in_name(*p) || (p > code && in_name(p[-1])))
            continue;
        size_t n = 0;
        while (in_name(p[n]))
            n++;
        bool same = n == len && memcmp(p, name, len) == 0;
        if (!same && is_declared(code, p, n) && far(p, n, name, len) == 1)
            return wb_format("%.*s is not known; is %.*s meant?", (int)len, name, (int)n, p);
    }
    return NULL;
}
