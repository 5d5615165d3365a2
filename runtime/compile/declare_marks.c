/* declare_marks.c: macros that stand for the words before a function, "#define HD __host__
 * __device__". The parser would take one for a type: it sees blanks in their place, and what
 * follows begins with the macro all the same. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compile/expand.h"
#include "runtime/compile/split_parts.h"

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t word_length(const char *p) {
    size_t n = 0;
    while (word_char(p[n]))
        n++;
    return n;
}

/* The marks that one macro's body is made of; -1: of something else, too. */
static int body_marks(const char *p) {
    static const struct {
        const char *word;
        int mark;
    } words[] = {{"__device__", SPLIT_DEVICE},    {"__global__", SPLIT_GLOBAL},
                 {"__host__", SPLIT_HOST},        {"constexpr", SPLIT_CONSTEXPR},
                 {"static", SPLIT_REPEATED},      {"inline", SPLIT_REPEATED},
                 {"__inline__", SPLIT_REPEATED},  {"__forceinline__", SPLIT_REPEATED},
                 {"__noinline__", SPLIT_NOTHING}, {"__launch_bounds__", SPLIT_NOTHING},
                 {"__attribute__", SPLIT_NOTHING}};
    int marks = SPLIT_NOTHING;
    while (*p && *p != '\n') {
        size_t skip = *p == '/' ? wb_code_skip(p) : 0, n = word_length(p), i = 0;
        while (n && i < WB_COUNT(words) &&
               (strlen(words[i].word) != n || memcmp(words[i].word, p, n) != 0))
            i++;
        if (n && i == WB_COUNT(words))
            return -1;
        marks |= n ? words[i].mark : 0;
        const char *close = *p == '(' ? wb_code_closing(p) : NULL;
        if (!n && !skip && !close && !strchr(" \t\r", *p) && !(*p == '\\' && p[1] == '\n'))
            return -1;
        p = close ? close + 1 : p + (n ? n : skip ? skip : *p == '\\' ? 2 : 1);
    }
    return marks;
}

int wb_split_marks(const char *text, const char *name, size_t len) {
    int all = 0;
    for (const char *p = text; (p = strstr(p, "define")); p += 6) {
        const char *before = p, *word = p + 6 + strspn(p + 6, " \t");
        while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
            before--;
        if (before == text || before[-1] != '#' || word == p + 6 || word_length(word) != len ||
            memcmp(word, name, len) != 0)
            continue;
        int marks = word[len] == '(' ? -1 : body_marks(word + len);
        if (marks < 0)
            return 0;
        all |= marks;
    }
    return all;
}

static int marks_of(const splitter *s, const char *view, const char *name, size_t len) {
    int own = wb_split_marks(view, name, len);
    if (own)
        return own;
    int known = s->ask ? s->ask(s->ctx, name, len) : 0;
    return known & SPLIT_NOTHING ? known : 0;
}

static bool note(splitter *s, size_t start, size_t len, int marks) {
    split_mark *more = realloc(s->marks, (s->n_marks + 1) * sizeof *more);
    if (!more) {
        s->failed = true;
        return false;
    }
    s->marks = more;
    more[s->n_marks++] = (split_mark){start, len, marks};
    return true;
}

void declare_find_marks(splitter *s, char *view) {
    for (char *p = view; *p;) {
        size_t skip = wb_code_skip(p), n = skip ? 0 : word_length(p);
        const char *next = p + n + strspn(p + n, " \t\r\n");
        bool leads = n && next > p + n && (word_char(*next) || *next == '~' || *next == ':');
        int marks = leads && !isdigit((unsigned char)*p) ? marks_of(s, view, p, n) : 0;
        if (marks && note(s, (size_t)(p - view), n, marks))
            memset(p, ' ', n);
        p += skip ? skip : n ? n : 1;
    }
}

size_t split_begin(const splitter *s, TSNode node) {
    size_t begin = ts_node_start_byte(node);
    for (size_t i = s->n_marks; i-- > 0;) {
        size_t end = s->marks[i].start + s->marks[i].len;
        bool blank = end <= begin;
        for (size_t k = end; blank && k < begin; k++)
            blank = isspace((unsigned char)s->code[k]);
        begin = blank ? s->marks[i].start : begin;
    }
    return begin;
}

TSPoint split_begin_point(const splitter *s, TSNode node) {
    TSPoint at = ts_node_start_point(node);
    size_t start = ts_node_start_byte(node), begin = split_begin(s, node), line = begin;
    for (size_t i = begin; i < start; i++)
        at.row -= s->code[i] == '\n';
    while (line > 0 && s->code[line - 1] != '\n')
        line--;
    if (begin < start)
        at.column = (uint32_t)(begin - line);
    return at;
}

int declare_marks(const splitter *s, TSNode node) {
    TSNode first = node_field(node, "declarator");
    size_t begin = split_begin(s, node);
    size_t end = ts_node_is_null(first) ? ts_node_start_byte(node) : ts_node_start_byte(first);
    int marks = 0;
    for (size_t i = 0; i < s->n_marks; i++)
        if (s->marks[i].start >= begin && s->marks[i].start < end)
            marks |= s->marks[i].marks;
    return marks;
}

void declare_blank_own_marks(splitter *s, TSNode node) {
    size_t begin = split_begin(s, node), end = ts_node_start_byte(node);
    for (size_t i = 0; i < s->n_marks; i++) {
        const split_mark *m = &s->marks[i];
        char *spaces =
            m->start >= begin && m->start < end ? wb_format("%*s", (int)m->len, "") : NULL;
        if (spaces)
            split_edit(s, m->start, m->len, spaces);
        free(spaces);
    }
}
