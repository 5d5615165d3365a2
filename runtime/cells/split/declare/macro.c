/* macro.c: macros that declare something at the top of a cell: "DECLARE_VECTOR(int, v);",
 * "DEFINE_KERNEL(scale)", "int CAT(var, 1) = 5;". Only their expansion shows what they declare. So
 * they are expanded here, and the cell is compiled with the expansion in their place. The cell's
 * parser sees a single ';' there. */
#include <ctype.h>

#include "runtime/cells/split/expand.h"
#include "runtime/cells/split/parts.h"

/* Finds the last directive of the cell before `end` that defines the macro, or the notebook's. */
typedef struct finder {
    const splitter *s;
    const char *view, *end;
} finder;

static const char *find(void *ctx, const char *name, size_t len) {
    const finder *f = ctx;
    const wb_splitting *how = &f->s->how;
    const char *found = how->macro ? how->macro(how->ctx, name, len) : NULL;
    for (const char *p = f->view; p < f->end; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *q = p + strspn(p, " \t");
        if (*q != '#')
            continue;
        const char *directive = q + 1 + strspn(q + 1, " \t");
        size_t n = strcspn(directive, " \t\n");
        const char *word = directive + n + strspn(directive + n, " \t");
        if (strncmp(word, name, len) != 0 || isalnum((unsigned char)word[len]) || word[len] == '_')
            continue;
        if (n == 6 && memcmp(directive, "define", 6) == 0)
            found = q;
        else if (n == 5 && memcmp(directive, "undef", 5) == 0)
            found = NULL;
    }
    return found;
}

/* A top-level expansion: only declarations; several statements, which no parser can see in the
 * macro's call ("SWAP(a, b, int);"); or what the cell's parser sees. */
typedef enum meaning { DECLARES, STATEMENTS, AS_IT_STANDS } meaning;

static bool is_declaration(const splitter *s, TSNode node, TSNode next) {
    wb_span text = node_text(s, node);
    bool ends = text.len > 0 && (text.at[text.len - 1] == ';' || text.at[text.len - 1] == '}' ||
                                 node_is(next, ";"));
    return ends && !split_is_statement(node) && !declare_is_expression(s, node) &&
           strncmp(ts_node_type(node), "preproc_", 8) != 0;
}

static meaning meaning_of(const splitter *s, const char *text) {
    TSTree *tree = ts_parser_parse_string(s->parser, NULL, text, (uint32_t)strlen(text));
    if (!tree)
        return AS_IT_STANDS;
    TSNode root = ts_tree_root_node(tree);
    uint32_t n = ts_node_child_count(root), all = 0, declarations = 0;
    splitter inner = *s;
    inner.code = text;
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_child(root, i);
        if (node_is(child, ";") || node_is(child, "comment"))
            continue;
        all++;
        declarations += is_declaration(&inner, child, ts_node_next_sibling(child));
    }
    bool good = !split_has_error(root);
    ts_tree_delete(tree);
    return !good || all == 0     ? AS_IT_STANDS
           : declarations == all ? DECLARES
           : all > 1             ? STATEMENTS
                                 : AS_IT_STANDS;
}

/* Returns the end of the declaration at p: after its ';' or its body's '}'. */
static const char *declaration_end(const char *p) {
    for (int depth = 0; *p;) {
        size_t skip = wb_code_skip(p);
        depth += skip ? 0 : (strchr("({[", *p) != NULL) - (strchr(")}]", *p) != NULL);
        if (!skip && depth == 0 && (*p == ';' || *p == '}'))
            return p + 1;
        p += skip ? skip : 1;
    }
    return p;
}

static void note(splitter *s, char *view, size_t start, size_t end) {
    finder f = {s, view, view + start};
    char *text = wb_macro_expand(view + start, end - start, find, &f);
    meaning m = text ? meaning_of(s, text) : AS_IT_STANDS;
    split_macro *macro = m == DECLARES ? WB_PUSH(s->macros, s->n_macros) : NULL;
    s->failed |= !text || (m == DECLARES && !macro);
    char *open = strchr(view + start, '(');
    const char *close = m == STATEMENTS && open ? wb_code_closing(open) : NULL;
    if (close)
        declare_view_blank(open + 1, close);
    if (close && open[1] == ' ' && open + 1 < close)
        open[1] = '0';
    if (!macro) {
        free(text);
        return;
    }
    *macro = (split_macro){start, end - start, text};
    declare_view_blank(view + start, view + end);
    view[start] = ';';
}

/* Examines one word at the top of the cell, in a declaration or statement at `begin`. Returns the
 * end of what it examined. */
static char *look_at(splitter *s, char *view, char *begin, char *p, size_t len) {
    finder f = {s, view, p};
    char *open = p + len + strspn(p + len, " \t");
    const char *define = *open == '(' ? find(&f, p, len) : NULL;
    const char *close = define && wb_macro_takes_arguments(define) ? wb_code_closing(open) : NULL;
    if (!close || (p != begin && !wb_macro_pastes(define)))
        return p + len;
    const char *end = close + 1;
    if (p != begin)
        end = declaration_end(p);
    else if (end[strspn(end, " \t")] == ';')
        end += strspn(end, " \t") + 1;
    size_t before = s->n_macros;
    note(s, view, (size_t)(begin - view), (size_t)(end - view));
    return s->n_macros > before ? view + (end - view) : p + len;
}

void declare_find_macros(splitter *s, char *view) {
    int depth = 0;
    char *begin = NULL; /* start of the present declaration or statement */
    for (char *p = view; *p && !s->failed;) {
        size_t skip = wb_code_skip(p), len = skip ? 0 : wb_word_length(p);
        if (skip && *p == '#')
            begin = NULL;
        else if (!skip && !isspace((unsigned char)*p) && !begin)
            begin = p;
        if (len && !isdigit((unsigned char)*p) && depth == 0 && begin) {
            size_t before = s->n_macros;
            p = look_at(s, view, begin, p, len);
            begin = s->n_macros > before ? NULL : begin;
            continue;
        }
        bool comment = skip && *p == '/';
        depth += skip ? 0 : (strchr("({[", *p) != NULL) - (strchr(")}]", *p) != NULL);
        if (!skip && !comment && depth <= 0 && (*p == ';' || *p == '}')) {
            begin = NULL;
            depth = 0;
        }
        p += skip ? skip : len ? len : 1;
    }
}

/* Moves the entities and edits of an expansion from places in it to the macro's place. */
static void place_entities(splitter *s, size_t first, const split_macro *m, int line) {
    for (size_t i = first; i < s->out->n_entities; i++) {
        s->out->entities[i].start = m->start;
        s->out->entities[i].end = m->start + m->len;
        s->out->entities[i].line = line;
    }
}

void declare_macro(splitter *s, const split_macro *m, int line) {
    wb_split *o = s->out;
    wb_edit *edits = o->edits;
    size_t n_edits = o->n_edits, first = o->n_entities;
    splitter inner = *s;
    inner.code = inner.view = m->text;
    inner.len = strlen(m->text);
    o->edits = NULL;
    o->n_edits = 0;
    TSTree *tree = ts_parser_parse_string(s->parser, NULL, inner.code, (uint32_t)inner.len);
    TSNode root = tree ? ts_tree_root_node(tree) : (TSNode){.id = NULL};
    uint32_t n = tree ? ts_node_child_count(root) : 0;
    for (uint32_t i = 0; i < n; i++) {
        declare_lambdas(&inner, ts_node_child(root, i));
        declare(&inner, ts_node_child(root, i), (place){"", "", ""});
    }
    ts_tree_delete(tree);
    WB_SCOPED_BUF wb_buf edited = {0};
    split_edited(&inner, &edited, 0, inner.len);
    for (size_t i = 0; i < o->n_edits; i++)
        free(o->edits[i].with);
    free(o->edits);
    o->edits = edits;
    o->n_edits = n_edits;
    place_entities(s, first, m, line);
    split_edit(s, m->start, m->len, edited.data ? edited.data : "");
    s->failed |= inner.failed || edited.failed;
}

const split_macro *declare_macro_at(const splitter *s, size_t at) {
    for (size_t i = 0; i < s->n_macros; i++)
        if (s->macros[i].start == at)
            return &s->macros[i];
    return NULL;
}
