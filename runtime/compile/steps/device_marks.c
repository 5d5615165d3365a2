/* device_marks.c: see device_marks.h. The headers of CUDA turn __global__ into
 * __attribute__((global)) and so on: whatever a macro or a header of the user's hides is in the
 * open once it is preprocessed. */
#include "runtime/compile/steps/device_marks.h"

#include <ctype.h>
#include <string.h>

static bool is_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_word(const char *text, size_t n, const char *const *words, size_t n_words) {
    for (size_t i = 0; i < n_words; i++)
        if (strlen(words[i]) == n && memcmp(words[i], text, n) == 0)
            return true;
    return false;
}

/* Whether what follows the mark of a kernel is a declaration: a semicolon comes first, outside
 * parentheses. Literals might hold one, and make it no declaration. */
static bool only_declares(const char *p) {
    int depth = 0;
    for (; *p && *p != '{' && *p != '"' && *p != '\''; p++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (*p == ';' && depth <= 0)
            return true;
    }
    return false;
}

/* The attributes at p, behind the word: "((device))". Where they end; *found when one is a mark. */
static const char *attributes(const char *p, bool *found) {
    static const char *const marks[] = {"device",         "constant",     "managed",
                                        "shared",         "__device__",   "__constant__",
                                        "__managed__",    "__shared__",   "nv_linkonce",
                                        "device_builtin", "cluster_dims", "nv_pure"};
    int depth = 0;
    bool kernel = false;
    while (*p && *p != ';' && *p != '{') {
        size_t n = 0;
        while (is_part(p[n]))
            n++;
        *found |= is_word(p, n, marks, WB_COUNT(marks));
        kernel |= (n == 6 && memcmp(p, "global", 6) == 0) ||
                  (n == 10 && memcmp(p, "__global__", 10) == 0);
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        p += n ? n : 1;
        if (n == 0 && depth <= 0 && p[-1] == ')')
            break;
    }
    *found |= kernel && !only_declares(p);
    return p;
}

/* The start of the unit itself: `# 1 "warpbook"` begins a line. */
static const char *own_text(const char *text) {
    const char *at = strstr(text, "\n# 1 \"warpbook\"");
    return at ? at : NULL;
}

static bool marked(const char *p, const char *const *words, size_t n_words) {
    bool found = false;
    while (*p && !found) {
        if (!is_part(*p)) {
            p++;
            continue;
        }
        size_t n = 0;
        while (is_part(p[n]))
            n++;
        bool mark = is_word(p, n, words, n_words);
        found = mark && strncmp(p, "__attribute", 11) != 0;
        p += n;
        if (mark && !found)
            p = attributes(p, &found);
    }
    return found;
}

bool wb_device_marks(const char *preprocessed) {
    /* The words with underscores are gone, unless somebody undefined them. */
    static const char *const words[] = {"__attribute__", "__attribute", "__device__", "__global__",
                                        "__constant__",  "__managed__", "__shared__", "__declspec"};
    const char *own = own_text(preprocessed);
    return !own || marked(own, words, WB_COUNT(words));
}

/* Of what a cell, or one whose text is repeated, says: `p` behind a line #line. Most of the
 * compiler's warnings come from both sides, those on what is never used from the device's alone: it
 * is not left out where something might be defined inside of something. */
static bool is_simple(const char *p) {
    static const char *const words[] = {
        "static",   "namespace", "inline", "extern",     "for",          "while",
        "if",       "switch",    "do",     "__device__", "__constant__", "__managed__",
        "template", "pragma",    "goto",   "try",        "__host__"};
    while (*p && strncmp(p, "\n#line 1 \"warpbook\"", 19) != 0) {
        size_t n = 0;
        while (is_part(p[n]))
            n++;
        if (*p == '{')
            return false;
        if (n && is_word(p, n, words, WB_COUNT(words)))
            return false;
        p += n ? n : 1;
    }
    return true;
}

bool wb_device_expected(const char *unit) {
    static const char mark[] = "\n#line ";
    bool any = false;
    for (const char *p = unit; (p = strstr(p, mark)); p++) {
        const char *name = strchr(p, '"'), *end = strchr(p + 1, '\n');
        if (!name || !end || strncmp(name, "\"cell [", 7) != 0)
            continue;
        any = true;
        if (!is_simple(end))
            return true;
    }
    return !any; /* no unit of a cell */
}
