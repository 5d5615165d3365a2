/* overload.c: see overload.h. Symbols: Itanium C++ ABI, "Operator Encodings". The C++ library's
 * __cxa_demangle takes them apart. */
#include "runtime/cells/redefine/overload.h"

#include <ctype.h>
#include <dlfcn.h>

/* Without new and delete, which the system's libraries define as well. */
static const struct {
    const char *name, *letters;
} operators[] = {
    {"operator+", "plps"}, {"operator-", "ming"}, {"operator*", "mlde"}, {"operator/", "dv"},
    {"operator%", "rm"},   {"operator^", "eo"},   {"operator&", "anad"}, {"operator|", "or"},
    {"operator~", "co"},   {"operator!", "nt"},   {"operator<", "lt"},   {"operator>", "gt"},
    {"operator+=", "pL"},  {"operator-=", "mI"},  {"operator*=", "mL"},  {"operator/=", "dV"},
    {"operator%=", "rM"},  {"operator^=", "eO"},  {"operator&=", "aN"},  {"operator|=", "oR"},
    {"operator<<", "ls"},  {"operator>>", "rs"},  {"operator<<=", "lS"}, {"operator>>=", "rS"},
    {"operator==", "eq"},  {"operator!=", "ne"},  {"operator<=", "le"},  {"operator>=", "ge"},
    {"operator<=>", "ss"}, {"operator&&", "aa"},  {"operator||", "oo"},  {"operator++", "pp"},
    {"operator--", "mm"},  {"operator,", "cm"},   {"operator->*", "pm"},
};

const char *wb_operator_letters(const char *name) {
    for (size_t i = 0; i < WB_COUNT(operators); i++)
        if (strcmp(operators[i].name, name) == 0)
            return operators[i].letters;
    return NULL;
}

const char *wb_operator_name(const char *p) {
    for (size_t i = 0; i < WB_COUNT(operators); i++)
        for (const char *l = operators[i].letters; *l; l += 2)
            if (strncmp(l, p, 2) == 0)
                return operators[i].name;
    return NULL;
}

/* ---- types in one spelling ------------------------------------------------------------------ */

/* Returns the canonical form of a type's word, itself sorted words; "" if it does not matter. */
static const char *plain_word(const char *word, size_t len) {
    static const char *const words[][2] = {{"size_t", "long unsigned"},
                                           {"int8_t", "char signed"},
                                           {"uint8_t", "char unsigned"},
                                           {"int16_t", "short"},
                                           {"uint16_t", "short unsigned"},
                                           {"int32_t", ""},
                                           {"uint32_t", "unsigned"},
                                           {"int64_t", "long"},
                                           {"uint64_t", "long unsigned"},
                                           {"ptrdiff_t", "long"},
                                           {"string", "basic_string"},
                                           {"int", ""},
                                           {"struct", ""},
                                           {"class", ""},
                                           {"enum", ""},
                                           {"__restrict__", ""},
                                           {"volatile", ""}};
    for (size_t i = 0; i < WB_COUNT(words); i++)
        if (wb_word_is(word, len, words[i][0]))
            return words[i][1];
    return NULL;
}

static const char *behind_arguments(const char *p) {
    int depth = 0;
    do
        depth += (*p == '<') - (*p == '>');
    while (*p++ && depth > 0);
    return p;
}

/* Appends the words of a type up to its first sign, sorted: "P const" is "const P". */
static void put_words(wb_buf *out, wb_strings *words) {
    if (words->n)
        qsort(words->v, words->n, sizeof *words->v, wb_by_text);
    for (size_t i = 0; i < words->n; i++)
        wb_buf_printf(out, " %s", words->v[i]);
    wb_strings_free(words);
}

/* Returns a list of parameters [p, end), each "words signs" and a comma; malloc'd. */
static char *spell(const char *p, const char *end) {
    wb_buf out = {0};
    wb_strings words = {0};
    while (p < end) {
        size_t len = wb_word_within(p, (size_t)(end - p));
        if (len && strncmp(p + len, "::", 2) == 0) {
            p += len + 2; /* scopes rarely distinguish types */
        } else if (len) {
            const char *plain = plain_word(p, len);
            if (!plain || *plain)
                wb_strings_own(&words, wb_format("%.*s", plain ? (int)strlen(plain) : (int)len,
                                                 plain ? plain : p));
            p += len;
        } else if (*p == '<') {
            p = behind_arguments(p);
        } else {
            if (!isspace((unsigned char)*p)) {
                put_words(&out, &words);
                wb_buf_putc(&out, *p);
            }
            p++;
        }
    }
    put_words(&out, &words);
    return wb_buf_steal(&out);
}

/* Returns the parameters at the end of "a::f(int) const", or NULL. */
static const char *parameters(const char *text, const char **end) {
    const char *close = strrchr(text, ')');
    int depth = 0;
    for (const char *p = close; p && p >= text; p--) {
        depth += (*p == ')') - (*p == '(');
        if (depth == 0) {
            *end = close;
            return p + 1;
        }
    }
    return NULL;
}

char *wb_overload_plain(const char *symbol) {
    typedef char *(*demangler)(const char *, char *, size_t *, int *);
    static demangler demangle;
    if (!demangle)
        *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = demangle ? NULL : dlopen("libstdc++.so.6", RTLD_NOW);
    if (library)
        *(void **)&demangle = dlsym(library, "__cxa_demangle");
    int status = 0;
    return demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
}

bool wb_overload_is(const wb_entity *function, const char *symbol) {
    const char *end, *key_end, *key = parameters(function->key, &key_end);
    WB_SCOPED char *text = wb_overload_plain(symbol);
    const char *list = text ? parameters(text, &end) : NULL;
    WB_SCOPED char *theirs = list ? spell(list, end) : NULL,
                   *ours = key ? spell(key, key_end) : NULL;
    return theirs && ours && strcmp(theirs, ours) == 0 &&
           !strstr(end, "const") == !strstr(key_end, "const");
}
