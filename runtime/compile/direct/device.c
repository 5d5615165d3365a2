/* device.c: see texts.h. */
#include "runtime/compile/direct/texts.h"

static bool for_device(const wb_part *p) {
    return p->side != WB_SIDE_HOST &&
           (p->kind == WB_PART_DEVICE || p->kind == WB_PART_BOTH || p->kind == WB_PART_VARIABLE ||
            (p->kind == WB_PART_KERNEL && p->body));
}

static void add_words(wb_word_set *named, const wb_parts *parts, const wb_part *p) {
    for (size_t i = p->first; i < p->end; i++)
        if (parts->tokens.v[i].kind == WB_TOKEN_WORD)
            wb_word_set_add(named, &parts->tokens.v[i]);
}

/* Returns true if the part may declare one of these names. Tests all words before a body: one too
 * many costs little. */
static bool declares(const wb_parts *parts, const wb_part *p, const wb_word_set *named) {
    const wb_token *t = parts->tokens.v;
    bool is_enum = false, is_alias = false;
    for (size_t i = p->header; i < p->end; i++) {
        is_enum |= wb_token_is(&t[i], "enum");
        is_alias |= wb_token_is(&t[i], "typedef");
        if (t[i].kind == WB_TOKEN_WORD && wb_word_set_has(named, &t[i]))
            return true;
        if (wb_token_sign(&t[i], '{') && !is_enum && !is_alias)
            i = t[i].match;
        if (wb_token_sign(&t[i], '=') && !is_enum)
            return false;
    }
    return false;
}

/* A "using namespace a;" affects all names in it. */
static bool is_directive(const wb_parts *parts, const wb_part *p) {
    return wb_token_is(&parts->tokens.v[p->first], "using") && p->end > p->first + 1 &&
           wb_token_is(&parts->tokens.v[p->first + 1], "namespace");
}

static void choose(const wb_parts *parts, bool *chosen, wb_word_set *named) {
    for (size_t i = 0; i < parts->n; i++) {
        const wb_part *p = &parts->v[i];
        chosen[i] = for_device(p) || (p->kind == WB_PART_TYPE && is_directive(parts, p));
        if (chosen[i])
            add_words(named, parts, p);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < parts->n; i++) {
            const wb_part *p = &parts->v[i];
            if (chosen[i] || p->side == WB_SIDE_HOST ||
                (p->kind != WB_PART_TYPE && p->kind != WB_PART_CONSTANT) ||
                (p->ours && p->kind == WB_PART_CONSTANT) || !declares(parts, p, named))
                continue;
            add_words(named, parts, p);
            chosen[i] = more = true;
        }
    }
}

static void put_part(const wb_parts *parts, const wb_part *p, wb_buf *out) {
    const wb_token *first = &parts->tokens.v[p->first], *last = &parts->tokens.v[p->end - 1];
    const char *line = first->at;
    wb_parts_put_place(p, out);
    while (line[-1] != '\n') {
        line--;
        wb_buf_putc(out, ' '); /* keeps the unit's columns */
    }
    if (p->kind == WB_PART_VARIABLE && p->is_static) { /* visible to other libraries */
        while (!wb_token_is(first, "static"))
            first++;
        const wb_token *begin = &parts->tokens.v[p->first];
        wb_buf_append(out, begin->at, (size_t)(first->at - begin->at));
        first++;
    }
    wb_buf_append(out, first->at, (size_t)(last->at + last->len - first->at));
}

/* Adds a directive. The device gets all macros of the unit, unless one hides device code. */
static wb_unfit put_directive(const wb_token *t, wb_side side, wb_buf *out) {
    static const char *const hidden[] = {"__global__",  "__device__", "__constant__",
                                         "__managed__", "<<<",        "__CUDA_ARCH__"};
    const char *p = t->at + 1 + strspn(t->at + 1, " \t");
    bool define = strncmp(p, "define", 6) == 0 || strncmp(p, "undef", 5) == 0;
    for (size_t i = 0; i < WB_COUNT(hidden) && define; i++)
        if (memmem(t->at, t->len, hidden[i], strlen(hidden[i])))
            return WB_UNFIT_MACRO;
    if (define || side != WB_SIDE_BOTH || strncmp(p, "pragma", 6) == 0)
        wb_buf_printf(out, "\n%.*s\n", (int)t->len, t->at);
    return side != WB_SIDE_BOTH                                   ? WB_FITS
           : strncmp(p, "if", 2) == 0 || strncmp(p, "el", 2) == 0 ? WB_UNFIT_CONDITION
                                                                  : WB_FITS;
}

/* Returns true if the part has an #if inside, which would depend on the compiler. */
static bool has_condition(const wb_parts *parts, const wb_part *p) {
    for (size_t i = p->first; i < p->end; i++) {
        const wb_token *t = &parts->tokens.v[i];
        const char *word = t->at + 1 + strspn(t->at + 1, " \t");
        if (t->kind == WB_TOKEN_DIRECTIVE && wb_parts_side(t) == WB_SIDE_BOTH &&
            strncmp(word, "pragma", 6) != 0 && strncmp(word, "else", 4) != 0 &&
            strncmp(word, "endif", 5) != 0)
            return true;
    }
    return false;
}

wb_unfit wb_device_text(const wb_parts *parts, const wb_word_set *instances, wb_buf *out) {
    wb_word_set named = {.v = NULL};
    WB_SCOPED bool *chosen = calloc(parts->n + 1, sizeof *chosen);
    wb_unfit unfit = WB_FITS;
    bool any = false;
    for (size_t i = 0; i < parts->n; i++)
        any |= for_device(&parts->v[i]);
    if (!chosen || !any)
        return chosen ? WB_FITS : WB_UNFIT_SYNTAX;
    for (size_t i = 0; i < instances->cap; i++) {
        /* the words of "k<float, N>" belong to the unit and outlive their tokens */
        const wb_token *instance = instances->v[i];
        for (size_t k = 0; instance && k < parts->tokens.n; k++) {
            const wb_token *t = &parts->tokens.v[k];
            if (t->kind == WB_TOKEN_WORD && t->at >= instance->at &&
                t->at < instance->at + instance->len)
                wb_word_set_add(&named, t);
        }
    }
    choose(parts, chosen, &named);
    for (size_t i = 0; i < parts->n && unfit == WB_FITS; i++) {
        const wb_part *p = &parts->v[i];
        const wb_token *first = &parts->tokens.v[p->first];
        if (p->kind == WB_PART_DIRECTIVE)
            unfit = put_directive(first, p->side, out);
        else if (p->kind == WB_PART_OPEN || p->kind == WB_PART_CLOSE || chosen[i])
            put_part(parts, p, out);
        if (chosen[i] && has_condition(parts, p))
            unfit = WB_UNFIT_CONDITION;
    }
    if (named.failed && unfit == WB_FITS)
        unfit = WB_UNFIT_SYNTAX;
    wb_word_set_free(&named);
    return unfit;
}
