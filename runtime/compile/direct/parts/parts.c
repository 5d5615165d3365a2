/* parts.c: see parts.h. */
#include "runtime/compile/direct/parts/parts.h"

#include "runtime/base/words.h"

typedef struct reader {
    wb_parts *parts;
    const wb_token *t;
    size_t n;
    int line; /* the line at `from` */
    const char *from, *file;
    bool ours;
    wb_side side;
    int inner;      /* open #ifs inside the side's */
    bool is_header; /* preprocessed: unclear declarations are no reason to refuse */
} reader;

/* Facts that the first words of a declaration state. */
typedef struct marks {
    bool global, device, host, constant, managed, is_static, is_extern, is_const;
    bool type, is_using, assign, call, several;
} marks;

size_t wb_parts_arguments(const wb_tokens *tokens, size_t open, size_t end) {
    int depth = 0;
    for (size_t i = open; i < end; i++) {
        const wb_token *t = &tokens->v[i];
        if (wb_token_sign(t, '<') && t->at[1] != '=')
            depth++;
        else if (wb_token_sign(t, '>') && t->at[1] != '=' && t->at[-1] != '-' && --depth == 0)
            return i + 1;
        else if (wb_token_sign(t, '(') || wb_token_sign(t, '[') || wb_token_sign(t, '{'))
            i = t->match;
        else if (wb_token_sign(t, ';') || wb_token_sign(t, ')') || wb_token_sign(t, '}'))
            return 0;
    }
    return 0;
}

bool wb_parts_takes_parentheses(const wb_token *t) {
    return wb_word_among(t->at, t->len,
                         "alignas __align__ __attribute__ decltype noexcept __launch_bounds__ "
                         "explicit requires __maxnreg__ __cluster_dims__ __block_size__ __asm__ "
                         "asm __asm __typeof__ __typeof __decltype __declspec");
}

void wb_parts_put_place(const wb_part *p, wb_buf *out) {
    if (p->file)
        wb_buf_printf(out, "\n#line %d %.*s\n", p->line, (int)(strcspn(p->file + 1, "\"") + 2),
                      p->file);
}

static void note_mark(const wb_token *t, marks *m) {
    m->global |= wb_token_is(t, "__global__");
    m->device |= wb_token_is(t, "__device__");
    m->host |= wb_token_is(t, "__host__");
    m->constant |= wb_token_is(t, "__constant__");
    m->managed |= wb_token_is(t, "__managed__");
    m->is_static |= wb_token_is(t, "static");
    m->is_extern |= wb_token_is(t, "extern");
    m->is_const |= wb_token_is(t, "const") || wb_token_is(t, "constexpr");
    m->is_using |= wb_word_among(t->at, t->len, "using static_assert typedef namespace");
    m->type |= m->is_using || wb_word_among(t->at, t->len, "struct class union enum");
}

/* Returns the ( of the parameters of the operator at i, or r->n. */
static size_t operands(const reader *r, size_t i) {
    i++;
    if (i < r->n && wb_token_sign(&r->t[i], '('))
        i++;
    while (++i < r->n && !wb_token_sign(&r->t[i], '(') && !wb_token_sign(&r->t[i], ';'))
        ;
    return i < r->n && wb_token_sign(&r->t[i], '(') ? i : r->n;
}

/* Finds the declaration's end from p->header. Fills in p and the marks. 0: there is no end. */
static size_t find_end(const reader *r, wb_part *p, marks *m) {
    bool colon = false, named = false, bases = false;
    for (size_t i = p->header; i < r->n; i++) {
        const wb_token *t = &r->t[i];
        if (t->kind == WB_TOKEN_WORD) {
            if (!m->call && !m->assign)
                note_mark(t, m);
            if (wb_token_is(t, "operator") && !m->call && !m->assign) {
                p->name = i;
                i = operands(r, i);
                p->open = i;
                m->call = true;
                i = i < r->n ? r->t[i].match : i;
            } else if (wb_parts_takes_parentheses(t) && i + 1 < r->n &&
                       wb_token_sign(&r->t[i + 1], '('))
                i = r->t[i + 1].match;
            else if (!m->call && !m->assign && !named)
                p->name = i;
        } else if (wb_token_sign(t, ';')) {
            return i + 1;
        } else if (wb_token_sign(t, '=')) {
            m->assign = true;
        } else if (wb_token_sign(t, ',')) {
            m->several = true;
        } else if (wb_token_sign(t, ':')) {
            colon |= m->call;
            bases |= m->type && !m->call;
        } else if (wb_token_sign(t, '[')) {
            named |= !m->call;
            i = t->match;
        } else if (wb_token_sign(t, '(')) {
            if (!m->call && !m->assign && !bases) {
                p->open = i;
                m->call = true;
            }
            i = t->match;
        } else if (wb_token_sign(t, '{')) {
            bool starts = i > p->first && r->t[i - 1].kind == WB_TOKEN_WORD && colon;
            bool function = m->call && !m->assign && !starts;
            if (function)
                p->body = i;
            named |= !m->call;
            i = t->match;
            if (function)
                return i + 1;
        } else if (i > p->header && wb_token_sign(t, '<') && !m->call && !m->assign &&
                   r->t[i - 1].kind == WB_TOKEN_WORD) {
            size_t behind = wb_parts_arguments(&r->parts->tokens, i, r->n);
            i = behind ? behind - 1 : i;
        } else if (wb_token_sign(t, '}') || wb_token_sign(t, ')')) {
            return 0;
        }
    }
    return 0;
}

static wb_unfit classify(const reader *r, wb_part *p, const marks *m) {
    bool function = m->call && !m->assign;
    p->is_static = m->is_static;
    p->is_constant = m->constant;
    if (m->managed)
        return WB_UNFIT_VARIABLE;
    if (r->side == WB_SIDE_HOST && m->is_extern && (m->device || m->constant) && !function)
        p->kind = WB_PART_SHADOW;
    else if (m->global)
        p->kind = WB_PART_KERNEL;
    else if ((m->device || m->constant) && m->type)
        return WB_UNFIT_VARIABLE; /* struct { ... } x on the device, and others */
    else if ((m->device || m->constant) && function)
        p->kind = m->host ? WB_PART_BOTH : WB_PART_DEVICE;
    else if (m->device || m->constant)
        p->kind = WB_PART_VARIABLE;
    else if (m->host && function)
        p->kind = WB_PART_HOST;
    else if (m->type && !(function && !m->is_using))
        p->kind = WB_PART_TYPE;
    else
        p->kind = m->is_const ? WB_PART_CONSTANT : WB_PART_HOST;
    if (p->kind == WB_PART_VARIABLE &&
        (m->is_extern || p->is_template || m->host || m->several || !p->name))
        return WB_UNFIT_VARIABLE;
    if (p->kind == WB_PART_DEVICE && !p->body && r->t[p->open + 1].kind != WB_TOKEN_WORD &&
        !wb_token_sign(&r->t[p->open + 1], ')'))
        return WB_UNFIT_VARIABLE; /* a pointer to a function, or x(3) */
    return WB_FITS;
}

static wb_part *new_part(reader *r, size_t first) {
    wb_part *part = WB_PUSH(r->parts->v, r->parts->n);
    if (!part)
        return NULL;
    for (; r->from < r->t[first].at; r->from++)
        r->line += *r->from == '\n';
    *part = (wb_part){.first = first,
                      .end = first + 1,
                      .header = first,
                      .line = r->line,
                      .file = r->file,
                      .side = r->side,
                      .ours = r->ours};
    return part;
}

static bool directive_is(const wb_token *t, const char *word) {
    const char *p = t->at + 1 + strspn(t->at + 1, " \t");
    return t->kind == WB_TOKEN_DIRECTIVE && strncmp(p, word, strlen(word)) == 0;
}

wb_side wb_parts_side(const wb_token *directive) {
    static const char arch[] = "__CUDA_ARCH__";
    const char *name = memmem(directive->at, directive->len, arch, sizeof arch - 1);
    const char *end = directive->at + directive->len;
    if (!name || name + strspn(name + sizeof arch - 1, " \t\r") + sizeof arch - 1 < end)
        return WB_SIDE_BOTH;
    return directive_is(directive, "ifdef ")    ? WB_SIDE_DEVICE
           : directive_is(directive, "ifndef ") ? WB_SIDE_HOST
                                                : WB_SIDE_BOTH;
}

/* Returns true if the directive begins, switches or ends a side. */
static bool take_side(reader *r, const wb_token *t) {
    wb_side before = r->side;
    if (r->side == WB_SIDE_BOTH)
        r->side = wb_parts_side(t);
    else if (directive_is(t, "if"))
        r->inner++;
    else if (directive_is(t, "endif") && r->inner > 0)
        r->inner--;
    else if (directive_is(t, "endif"))
        r->side = WB_SIDE_BOTH;
    else if (directive_is(t, "else") && r->inner == 0)
        r->side = r->side == WB_SIDE_HOST ? WB_SIDE_DEVICE : WB_SIDE_HOST;
    return r->side != before;
}

/* Takes #line 7 "cell [...]", or the preprocessor's # 7 "file". The number is the next line's. */
static void take_place(reader *r, const wb_token *t) {
    char *end;
    const char *p = t->at + 1 + strspn(t->at + 1, " \t"),
               *digits = strncmp(p, "line", 4) == 0 ? p + 4 : p;
    if (digits == p && !(*p >= '0' && *p <= '9'))
        return;
    r->is_header |= digits == p;
    r->line = (int)strtol(digits, &end, 10) - 1;
    r->from = t->at + t->len;
    end += strspn(end, " \t");
    if (*end == '"') {
        r->file = end;
        r->ours = strncmp(end, "\"warpbook\"", 10) == 0;
    }
}

/* Returns the { of namespace a::b { or extern "C" { at i, or 0. */
static size_t opening(const reader *r, size_t i) {
    if (wb_token_is(&r->t[i], "inline"))
        i++;
    bool linkage =
        i + 1 < r->n && wb_token_is(&r->t[i], "extern") && r->t[i + 1].kind == WB_TOKEN_TEXT;
    if (i >= r->n || (!linkage && !wb_token_is(&r->t[i], "namespace")))
        return 0;
    for (i += 1 + linkage; i < r->n; i++)
        if (wb_token_sign(&r->t[i], '{'))
            return i;
        else if (wb_parts_takes_parentheses(&r->t[i]) && i + 1 < r->n)
            i = r->t[i + 1].match;
        else if (linkage || (r->t[i].kind != WB_TOKEN_WORD && r->t[i].kind != WB_TOKEN_SCOPE))
            return 0;
    return 0;
}

/* Finds a declaration's end by brackets alone, if its template parameters contain a comparison. */
static wb_unfit read_unclear(const reader *r, wb_part *p) {
    p->kind = WB_PART_UNCLEAR;
    p->header = p->first;
    for (p->end = p->first + 1; p->end < r->n; p->end++) {
        const wb_token *t = &r->t[p->end];
        if (t->match > p->end)
            p->end = t->match;
        if (wb_token_sign(t, ';') || (wb_token_sign(t, '{') && p->end + 1 < r->n &&
                                      !wb_token_sign(&r->t[p->end + 1], ';'))) {
            p->end++;
            return WB_FITS;
        }
    }
    return WB_UNFIT_SYNTAX;
}

static wb_unfit read_declaration(reader *r, wb_part *p) {
    marks m = {.global = false};
    while (p->header + 1 < r->n && wb_token_is(&r->t[p->header], "template") &&
           wb_token_sign(&r->t[p->header + 1], '<')) {
        p->header = wb_parts_arguments(&r->parts->tokens, p->header + 1, r->n);
        p->is_template = true;
        if (!p->header)
            return r->is_header ? read_unclear(r, p) : WB_UNFIT_SYNTAX;
    }
    p->end = find_end(r, p, &m);
    return p->end ? classify(r, p, &m) : WB_UNFIT_SYNTAX;
}

wb_unfit wb_parts_read(const char *text, wb_parts *parts) {
    *parts = (wb_parts){.v = NULL};
    if (!wb_tokens_read(text, strlen(text), &parts->tokens))
        return WB_UNFIT_SYNTAX;
    reader r = {
        .parts = parts, .t = parts->tokens.v, .n = parts->tokens.n, .line = 1, .from = text};
    wb_unfit unfit = WB_FITS;
    for (size_t i = 0; i < r.n && unfit == WB_FITS;) {
        wb_part *p = new_part(&r, i);
        if (!p)
            return WB_UNFIT_SYNTAX;
        size_t open = opening(&r, i);
        if (r.t[i].kind == WB_TOKEN_DIRECTIVE) {
            p->kind = WB_PART_DIRECTIVE;
            take_place(&r, &r.t[i]);
            if (!take_side(&r, &r.t[i]))
                p->side = WB_SIDE_BOTH;
            else if (p->side == WB_SIDE_BOTH)
                p->side = r.side;
        } else if (wb_token_sign(&r.t[i], '}')) {
            p->kind = WB_PART_CLOSE;
        } else if (open) {
            p->kind = WB_PART_OPEN;
            p->end = open + 1;
        } else {
            unfit = read_declaration(&r, p);
            for (size_t k = p->first; k < p->end; k++)
                if (r.t[k].kind == WB_TOKEN_DIRECTIVE)
                    take_place(&r, &r.t[k]);
        }
        i = p->end;
    }
    return unfit;
}

void wb_parts_free(wb_parts *parts) {
    wb_tokens_free(&parts->tokens);
    free(parts->v);
    *parts = (wb_parts){.v = NULL};
}
