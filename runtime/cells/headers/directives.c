/* directives.c: see directives.h. The lexical rules are those of C++17, [lex]. */
#include "runtime/cells/headers/directives.h"
#include "runtime/base/words.h"
#include "runtime/compile/direct/parts/tokens.h"

#include <ctype.h>

/* ---- reading -------------------------------------------------------------------------------- */

/* Returns the end of the comment at i, or i. */
static size_t skip_comment(const char *text, size_t len, size_t i) {
    return (size_t)(wb_token_comment(text + i, text + len) - text);
}

size_t wb_literal_end(const char *text, size_t len, size_t i) {
    char quote = text[i];
    if (quote == '"' && i > 0 && text[i - 1] == 'R' && (i < 2 || !wb_word_part(text[i - 2]))) {
        const char *end = wb_token_raw(text + i, text + len);
        return end ? (size_t)(end - text) : len;
    }
    if (quote == '\'' && i > 0 && isxdigit((unsigned char)text[i - 1]))
        return i + 1; /* 1'000 */
    for (i++; i < len && text[i] != quote && text[i] != '\n'; i++)
        i += text[i] == '\\';
    return i < len ? i + (text[i] == quote) : len;
}

/* Returns the first byte from i on that is neither blank nor comment, or `end`. */
static size_t skip_blank(const char *text, size_t end, size_t i) {
    for (;;) {
        while (i < end && isspace((unsigned char)text[i]))
            i++;
        size_t after = skip_comment(text, end, i);
        if (after == i)
            return i;
        i = after;
    }
}

/* Reads the directive whose '#' is at i. */
static wb_directive read_directive(const char *text, size_t len, size_t i) {
    wb_directive d = {.start = i++};
    while (i < len && (text[i] == ' ' || text[i] == '\t'))
        i++;
    d.name = text + i;
    d.name_len = wb_word_within(text + i, len - i);
    i += d.name_len;
    while (i < len && (text[i] == ' ' || text[i] == '\t'))
        i++;
    d.rest = text + i;
    while (i < len && text[i] != '\n') {
        size_t after = skip_comment(text, len, i);
        if (after > i) {
            i = after;
        } else if (text[i] == '"') {
            i = wb_literal_end(text, len, i);
            d.rest_len = (size_t)(text + i - d.rest);
        } else {
            size_t n = text[i] == '\\' && i + 1 < len ? 2 : 1; /* a continuation */
            if (!isspace((unsigned char)text[i]))
                d.rest_len = (size_t)(text + i - d.rest) + n;
            i += n;
        }
    }
    d.end = i;
    return d;
}

wb_directive *wb_directives(const char *text, size_t len, size_t *n) {
    wb_directive *list = malloc(sizeof *list);
    bool line_start = true, ok = list != NULL;
    *n = 0;
    for (size_t i = 0; ok && i < len;) {
        size_t after = skip_comment(text, len, i);
        if (after > i) {
            i = after;
        } else if (text[i] == '#' && line_start) {
            wb_directive d = read_directive(text, len, i);
            ok = WB_ADD(list, *n, d);
            i = d.end;
        } else if (text[i] == '"' || text[i] == '\'') {
            i = wb_literal_end(text, len, i);
            line_start = false;
        } else {
            line_start = text[i] == '\n' || (line_start && isspace((unsigned char)text[i]));
            i++;
        }
    }
    if (ok)
        return list;
    free(list);
    return NULL;
}

bool wb_directive_is(const wb_directive *d, const char *name) {
    return wb_word_is(d->name, d->name_len, name);
}

/* ---- folding -------------------------------------------------------------------------------- */

enum { UNKNOWN = -1 };

/* Returns 1 if every cell is compiled with the macro defined, 0 if none is, or UNKNOWN. */
static int defined(const char *name, size_t len) {
    return wb_word_among(name, len, "__cplusplus __CUDACC__ __NVCC__ __linux__") ? 1
           : wb_word_among(name, len,
                           "_WIN32 _MSC_VER __APPLE__ __INTELLISENSE__ __HIPCC__ "
                           "__HIP_PLATFORM_AMD__ __CUDACC_RTC__")
               ? 0
               : UNKNOWN;
}

/* Returns the name in "defined(NAME)" or "defined NAME". Sets *len to 0 for another text. */
static const char *asked_name(const char *text, size_t text_len, size_t *len) {
    size_t i = 7, end = text_len;
    *len = 0;
    if (text_len < 8 || memcmp(text, "defined", 7) != 0)
        return text;
    i = skip_blank(text, end, i);
    bool parenthesis = i < end && text[i] == '(';
    i = parenthesis ? skip_blank(text, end, i + 1) : i;
    size_t n = wb_word_within(text + i, end - i), after = skip_blank(text, end, i + n);
    if (parenthesis && after < end && text[after] == ')')
        after = skip_blank(text, end, after + 1);
    *len = after == end ? n : 0;
    return text + i;
}

/* Returns the only macro that a conditional tests, or NULL. *wanted: it must be defined. */
static const char *asks_for(const wb_directive *d, size_t *len, bool *wanted) {
    const char *text = d->rest;
    size_t n = d->rest_len;
    *wanted = !wb_directive_is(d, "ifndef");
    if (wb_directive_is(d, "if")) {
        bool negated = n > 0 && *text == '!';
        size_t from = negated ? skip_blank(text, n, 1) : 0;
        *wanted = !negated;
        text = asked_name(text + from, n - from, &n);
    }
    *len = n;
    return n && memchr(text, ' ', n) == NULL ? text : NULL;
}

static int condition(const wb_directive *d, wb_directives_known known, void *ctx) {
    size_t len;
    bool wanted;
    if (wb_directive_is(d, "if") && wb_word_is(d->rest, d->rest_len, "0"))
        return 0;
    if (wb_directive_is(d, "if") && wb_word_is(d->rest, d->rest_len, "1"))
        return 1;
    const char *name = asks_for(d, &len, &wanted);
    int is = name ? defined(name, len) : UNKNOWN;
    if (name && is == UNKNOWN && known)
        is = known(ctx, name, len);
    return is == UNKNOWN ? UNKNOWN : is == (int)wanted;
}

static bool opens(const wb_directive *d) {
    return wb_directive_is(d, "if") || wb_directive_is(d, "ifdef") || wb_directive_is(d, "ifndef");
}

/* Returns the #endif of the conditional that list[i] opens, or n. *other is its #else, or n. *elif:
 * it has an #elif. */
static size_t find_end(const wb_directive *list, size_t n, size_t i, size_t *other, bool *elif) {
    int depth = 0;
    *other = n;
    *elif = false;
    for (size_t k = i; k < n; k++) {
        depth += opens(&list[k]);
        if (depth == 1 && wb_directive_is(&list[k], "else"))
            *other = k;
        *elif |= depth == 1 && list[k].name_len >= 4 && memcmp(list[k].name, "elif", 4) == 0;
        if (wb_directive_is(&list[k], "endif") && --depth == 0)
            return k;
    }
    return n;
}

static void blank(char *text, size_t start, size_t end) {
    for (size_t i = start; i < end; i++)
        if (text[i] != '\n')
            text[i] = ' ';
}

/* Returns true if the text is only #ifndef X, #define X, ..., #endif. */
static bool is_guard(const char *text, size_t len, const wb_directive *list, size_t n) {
    size_t other, name_len;
    bool elif, wanted = true;
    const char *name = n >= 3 && opens(&list[0]) ? asks_for(&list[0], &name_len, &wanted) : NULL;
    if (!name || wanted || skip_blank(text, len, 0) != list[0].start ||
        find_end(list, n, 0, &other, &elif) != n - 1 || other != n || elif)
        return false;
    const wb_directive *define = &list[1], *end = &list[n - 1];
    size_t after = (size_t)(end->name - text) + end->name_len;
    return wb_directive_is(define, "define") && define->rest_len >= name_len &&
           memcmp(define->rest, name, name_len) == 0 &&
           (define->rest_len == name_len || isspace((unsigned char)define->rest[name_len])) &&
           skip_blank(text, len, after) == len;
}

/* Folds the conditional that list[i] opens, by its outcome. */
static void fold_one(char *text, const wb_directive *list, size_t n, size_t i, int holds) {
    size_t other;
    bool elif;
    size_t end = holds == UNKNOWN ? n : find_end(list, n, i, &other, &elif);
    if (end == n || elif)
        return;
    size_t middle = other < n ? other : end;
    if (holds) {
        blank(text, list[i].start, list[i].end);
        blank(text, list[middle].start, list[end].end);
    } else {
        blank(text, list[i].start, list[middle].end);
        blank(text, list[end].start, list[end].end);
    }
}

bool wb_directives_fold(char *text, size_t len, bool header, wb_directives_known known, void *ctx,
                        bool *once) {
    size_t n;
    WB_SCOPED wb_directive *list = wb_directives(text, len, &n);
    if (!list)
        return false;
    *once = header && is_guard(text, len, list, n);
    if (*once) {
        blank(text, list[0].start, list[0].end);
        blank(text, list[n - 1].start, list[n - 1].end);
    }
    for (size_t i = 0; i < n; i++) {
        if (text[list[i].start] != '#') /* in a blanked part */
            continue;
        if (header && wb_directive_is(&list[i], "pragma") &&
            wb_word_is(list[i].rest, list[i].rest_len, "once")) {
            *once = true;
            blank(text, list[i].start, list[i].end);
        } else if (opens(&list[i])) {
            fold_one(text, list, n, i, condition(&list[i], known, ctx));
        }
    }
    return true;
}
