/* host.c: see texts.h. The calls in launches and kernel stubs are those of nvcc's own host code
 * (crt/host_runtime.h): a launch pushes its configuration and calls the stub, which pops it. */
#include "runtime/compile/direct/texts.h"

#include "runtime/base/words.h"

/* Marks an unnamed namespace in a scope. */
#define UNNAMED "::?"

typedef struct writer {
    const wb_parts *parts;
    const wb_token *t;
    wb_buf *out, variables;
    wb_word_set kernels, templates, device; /* names */
    wb_word_set *instances;
    const char *from; /* the next text to write */
    wb_unfit unfit;
} writer;

static void put_until(writer *w, const char *end) {
    if (end > w->from)
        wb_buf_append(w->out, w->from, (size_t)(end - w->from));
    w->from = end;
}

/* Skips text but keeps its newlines, so that line numbers stay. */
static void skip_until(writer *w, const char *end) {
    for (; w->from < end; w->from++)
        if (*w->from == '\n')
            wb_buf_putc(w->out, '\n');
}

static const char *behind(const wb_token *t) {
    return t->at + t->len;
}

/* ---- stubs ----------------------------------------------------------------------------------- */

/* Returns the name of the parameter in [first, end), or NULL if it is not sure. */
static const wb_token *parameter_name(writer *w, size_t first, size_t end) {
    const wb_token *name = NULL;
    for (size_t i = first; i < end; i++) {
        const wb_token *t = &w->t[i];
        if (wb_token_sign(t, '<')) {
            size_t next = wb_parts_arguments(&w->parts->tokens, i, end);
            if (!next)
                return NULL;
            i = next - 1;
            name = NULL;
        } else if (wb_token_sign(t, '=') || wb_token_sign(t, '[')) {
            return name;
        } else if (wb_token_sign(t, '(') && wb_token_sign(&w->t[i + 1], '*') &&
                   w->t[i + 2].kind == WB_TOKEN_WORD && t->match == i + 3) {
            return &w->t[i + 2]; /* int (*rows)[8] */
        } else if (wb_token_sign(t, '&') || wb_token_sign(t, '(') || wb_token_sign(t, '.')) {
            return NULL; /* a reference, a pointer to a function, a pack */
        } else if (t->kind == WB_TOKEN_WORD && i > first) {
            name = t;
        } else {
            name = NULL;
        }
    }
    return name;
}

/* Appends "(void *)&a, (void *)&b" for the parameters between the parentheses. */
static bool put_parameters(writer *w, size_t open, wb_buf *list) {
    size_t close = w->t[open].match, first = open + 1;
    if (first == close || (first + 1 == close && wb_token_is(&w->t[first], "void")))
        return wb_buf_puts(list, "0");
    for (size_t i = first; i <= close; i++) {
        if (wb_token_sign(&w->t[i], '<')) {
            size_t next = wb_parts_arguments(&w->parts->tokens, i, close);
            i = next ? next - 1 : i;
        } else if (wb_token_sign(&w->t[i], '(') || wb_token_sign(&w->t[i], '[')) {
            i = w->t[i].match;
        } else if (i == close || wb_token_sign(&w->t[i], ',')) {
            const wb_token *name = parameter_name(w, first, i);
            if (!name)
                return false;
            wb_buf_printf(list, "%s(void *)&%.*s", list->len ? ", " : "", (int)name->len, name->at);
            first = i + 1;
        }
    }
    return true;
}

/* Appends "<T, N>" for the header of a kernel template. */
static bool put_arguments(writer *w, const wb_part *p, wb_buf *list) {
    if (!p->is_template)
        return true;
    const wb_token *name = NULL;
    bool value = false;
    wb_buf_putc(list, '<');
    size_t open = p->first + 1;
    for (size_t i = open + 1; i < p->header; i++) {
        const wb_token *t = &w->t[i];
        if (wb_token_sign(t, '<') || wb_token_sign(t, '.') || wb_token_sign(t, '('))
            return false; /* a template template parameter, a pack */
        if (wb_token_sign(t, ',') || i + 1 == p->header) {
            if (!name || wb_token_is(name, "typename") || wb_token_is(name, "class"))
                return false;
            wb_buf_printf(list, "%s%.*s", list->data[list->len - 1] == '<' ? "" : ", ",
                          (int)name->len, name->at);
            name = NULL;
            value = false;
        } else if (wb_token_sign(t, '=')) {
            value = true;
        } else if (!value) {
            name = t->kind == WB_TOKEN_WORD ? t : NULL;
        }
    }
    return wb_buf_putc(list, '>');
}

static void put_stub(writer *w, const wb_part *p) {
    const wb_token *name = &w->t[p->name];
    WB_SCOPED_BUF wb_buf parameters = {0}, arguments = {0};
    if (!put_parameters(w, p->open, &parameters) || !put_arguments(w, p, &arguments))
        w->unfit = WB_UNFIT_KERNEL;
    put_until(w, w->t[p->body].at);
    wb_buf_printf(w->out,
                  "{ void *__wb_a[] = {%s}; ::__wb_direct_launch((const void *)%.*s%s, __wb_a); }",
                  parameters.data ? parameters.data : "0", (int)name->len, name->at,
                  arguments.data ? arguments.data : "");
    skip_until(w, behind(&w->t[w->t[p->body].match]));
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Returns the first of the three > that end a launch's configuration, or 0. */
static size_t configuration_end(const writer *w, size_t launch, size_t end) {
    for (size_t i = launch + 1; i + 3 < end; i++) {
        const wb_token *t = &w->t[i];
        if (wb_token_sign(t, '(') || wb_token_sign(t, '[') || wb_token_sign(t, '{'))
            i = t->match;
        else if (wb_token_sign(t, '>') && memcmp(t->at, ">>>", 3) == 0)
            return wb_token_sign(&w->t[i + 3], '(') ? i : 0;
        else if (wb_token_sign(t, ';') || t->kind == WB_TOKEN_LAUNCH)
            return 0;
    }
    return 0;
}

/* Returns the < that belongs to the > at `close`, or 0. */
static size_t arguments_open(const writer *w, size_t close, size_t first) {
    int depth = 0;
    for (size_t i = close + 1; i-- > first;) {
        const wb_token *t = &w->t[i];
        if (wb_token_sign(t, '>'))
            depth++;
        else if (wb_token_sign(t, '<') && --depth == 0)
            return i;
        else if (wb_token_sign(t, ')') || wb_token_sign(t, ']') || wb_token_sign(t, '}'))
            i = t->match;
        else if (wb_token_sign(t, ';'))
            return 0;
    }
    return 0;
}

/* Returns the first token of the kernel's name that ends at `last`, or SIZE_MAX. */
static size_t kernel_start(writer *w, size_t last, size_t first) {
    size_t open = wb_token_sign(&w->t[last], '>') ? arguments_open(w, last, first) : 0;
    size_t name = open ? open - 1 : last;
    if (name < first || w->t[name].kind != WB_TOKEN_WORD)
        return SIZE_MAX;
    bool is_template = wb_word_set_has(&w->templates, &w->t[name]);
    if (is_template && !open)
        return SIZE_MAX; /* its arguments are deduced */
    size_t start = name;
    while (start >= first + 1 && w->t[start - 1].kind == WB_TOKEN_SCOPE) {
        start--;
        if (start >= first + 1 && w->t[start - 1].kind == WB_TOKEN_WORD &&
            !wb_token_is(&w->t[start - 1], "return") && !wb_token_is(&w->t[start - 1], "else"))
            start--;
    }
    if (is_template) {
        wb_token *whole = malloc(sizeof *whole);
        if (!whole || !(*whole = (wb_token){.kind = WB_TOKEN_TEXT,
                                            .at = w->t[start].at,
                                            .len = (size_t)(behind(&w->t[last]) - w->t[start].at)},
                        wb_word_set_add(w->instances, whole)))
            free(whole);
    }
    return start;
}

/* Rewrites the launch whose <<< is at i. Returns the token after its configuration, or 0. */
static size_t put_launch(writer *w, size_t i, size_t first, size_t end) {
    size_t start = i > first ? kernel_start(w, i - 1, first) : SIZE_MAX;
    size_t close = start != SIZE_MAX ? configuration_end(w, i, end) : 0;
    if (!close || w->t[start].at < w->from) {
        w->unfit = start != SIZE_MAX ? WB_UNFIT_LAUNCH : WB_UNFIT_TEMPLATE;
        return 0;
    }
    put_until(w, w->t[start].at);
    wb_buf_puts(w->out, "(::__cudaPushCallConfiguration(");
    w->from = behind(&w->t[i]);
    put_until(w, w->t[close].at);
    wb_buf_printf(w->out, ")) ? (void)0 : %.*s", (int)(w->t[i].at - w->t[start].at),
                  w->t[start].at);
    w->from = w->t[close].at + 3;
    return close + 3;
}

/* ---- names of the device's ------------------------------------------------------------------- */

/* Returns the end of a cudaMemcpyToSymbol(...) or similar call, where host code may name a device
 * variable; i: there is none. */
static size_t symbol_call_end(const writer *w, size_t i, size_t end) {
    const wb_token *t = &w->t[i];
    bool is = t->len > 10 && memcmp(t->at, "cuda", 4) == 0 && memmem(t->at, t->len, "Symbol", 6);
    size_t open = i + 1;
    if (is && open < end && wb_token_sign(&w->t[open], '<'))
        open = wb_parts_arguments(&w->parts->tokens, open, end);
    return is && open && open < end && wb_token_sign(&w->t[open], '(') ? w->t[open].match : i;
}

/* Returns true if the kernel named at i is called like a function. */
static bool is_plain_call(const writer *w, size_t i, size_t end) {
    size_t next = i + 1;
    if (next < end && wb_token_sign(&w->t[next], '<'))
        next = wb_parts_arguments(&w->parts->tokens, next, end);
    return next && next < end && wb_token_sign(&w->t[next], '(');
}

/* Writes host code. Rewrites launches. Refuses names that belong to the device. */
static void put_host_code(writer *w, size_t first, size_t end, bool ours) {
    for (size_t i = first; i < end && w->unfit == WB_FITS; i++) {
        const wb_token *t = &w->t[i];
        if (t->kind == WB_TOKEN_DIRECTIVE && memmem(t->at, t->len, "line", 4))
            ours = memmem(t->at, t->len, "\"warpbook\"", 10) != NULL;
        if (t->kind == WB_TOKEN_LAUNCH) {
            size_t next = put_launch(w, i, first, end);
            i = next ? next - 1 : i;
        } else if (t->kind == WB_TOKEN_WORD && !ours) {
            i = symbol_call_end(w, i, end);
            if (wb_word_set_has(&w->device, t) ||
                (wb_word_set_has(&w->kernels, t) && is_plain_call(w, i, end)))
                w->unfit = WB_UNFIT_NAME;
        }
    }
    put_until(w, behind(&w->t[end - 1]));
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool has_mark(const writer *w, const wb_part *p) {
    for (size_t i = p->first; i < p->end; i++)
        if (wb_word_among(w->t[i].at, w->t[i].len,
                          "__device__ __host__ __global__ __managed__ __constant__ __shared__"))
            return true;
    return false;
}

/* Notes the names of a class's functions that are for the device only. */
static void note_members(writer *w, const wb_part *p) {
    for (size_t i = p->first; i < p->end; i++) {
        if (wb_token_is(&w->t[i], "__global__"))
            w->unfit = WB_UNFIT_KERNEL;
        if (!wb_token_is(&w->t[i], "__device__"))
            continue;
        bool host = i > p->first && wb_token_is(&w->t[i - 1], "__host__");
        size_t k = i + 1;
        while (k < p->end && !wb_token_sign(&w->t[k], '(') && !wb_token_sign(&w->t[k], ';')) {
            host |= wb_token_is(&w->t[k], "__host__");
            k++;
        }
        if (!host && w->t[k - 1].kind == WB_TOKEN_WORD && wb_token_sign(&w->t[k], '('))
            wb_word_set_add(&w->device, &w->t[k - 1]);
        else if (!host)
            w->unfit = WB_UNFIT_NAME; /* an operator, or a variable */
    }
}

static void note_names(writer *w, size_t from) {
    for (size_t i = from; i < w->parts->n; i++) {
        const wb_part *p = &w->parts->v[i];
        const wb_token *name = &w->t[p->name];
        if (p->side == WB_SIDE_DEVICE)
            continue;
        if (p->kind == WB_PART_KERNEL && (!p->name || !p->open || wb_token_is(name, "operator")))
            w->unfit = WB_UNFIT_KERNEL;
        else if (p->kind == WB_PART_KERNEL)
            wb_word_set_add(p->is_template ? &w->templates : &w->kernels, name);
        if (p->kind == WB_PART_KERNEL && p->is_template)
            wb_word_set_add(&w->kernels, name);
        if (p->kind == WB_PART_SHADOW ||
            ((p->kind == WB_PART_DEVICE || p->kind == WB_PART_VARIABLE) && !p->ours))
            wb_word_set_add(&w->device, name);
        if (p->kind == WB_PART_DEVICE && wb_token_is(name, "operator"))
            w->unfit = WB_UNFIT_NAME;
        if (p->kind == WB_PART_TYPE)
            note_members(w, p);
        bool instance = wb_token_is(&w->t[p->first], "template") && !p->is_template;
        if (instance && has_mark(w, p)) /* template __global__ void k<4>(int *); */
            w->unfit = WB_UNFIT_TEMPLATE;
    }
}

/* Writes a host variable of the same type in its place, as nvcc does. */
static void put_variable(writer *w, const wb_part *p, const char *scope) {
    const wb_token *name = &w->t[p->name];
    if (strstr(scope, UNNAMED))
        w->unfit = WB_UNFIT_VARIABLE;
    put_until(w, w->t[p->first].at);
    wb_buf_puts(w->out,
                p->is_static ? "__attribute__((unused)) " : "static __attribute__((unused)) ");
    put_until(w, behind(&w->t[p->end - 1]));
    wb_buf_printf(&w->variables, "{(const void *)&%s::%.*s, \"", scope, (int)name->len, name->at);
    if (*scope) { /* _ZN1a1bE */
        wb_buf_puts(&w->variables, "_ZN");
        for (const char *p2 = scope; *p2;) {
            size_t n = strcspn(p2 += 2, ":");
            wb_buf_printf(&w->variables, "%zu%.*s", n, (int)n, p2);
            p2 += n;
        }
        wb_buf_printf(&w->variables, "%zu%.*sE", name->len, (int)name->len, name->at);
    } else {
        wb_buf_printf(&w->variables, "%.*s", (int)name->len, name->at);
    }
    wb_buf_printf(&w->variables, "\", sizeof(%s::%.*s), %d},\n", scope, (int)name->len, name->at,
                  p->is_constant);
}

static void put_part(writer *w, const wb_part *p, const char *scope) {
    switch (p->side == WB_SIDE_DEVICE ? WB_PART_SHADOW : p->kind) {
    case WB_PART_KERNEL:
        if (p->is_static || strstr(scope, UNNAMED))
            w->unfit = WB_UNFIT_KERNEL; /* others could not name its symbol */
        else if (p->body)
            put_stub(w, p);
        break;
    case WB_PART_DEVICE:
        if (p->body) {
            put_until(w, w->t[p->body].at);
            wb_buf_puts(w->out, "{ ::abort(); }");
            skip_until(w, behind(&w->t[w->t[p->body].match]));
        }
        break;
    case WB_PART_VARIABLE:
        put_variable(w, p, scope);
        break;
    case WB_PART_BOTH:
    case WB_PART_TYPE:
    case WB_PART_CONSTANT:
    case WB_PART_HOST:
        if ((p->kind == WB_PART_HOST || p->kind == WB_PART_CONSTANT) && has_mark(w, p))
            w->unfit = WB_UNFIT_LAMBDA;
        put_host_code(w, p->first, p->end, p->ours);
        break;
    case WB_PART_SHADOW:
    case WB_PART_DIRECTIVE:
    case WB_PART_OPEN:
    case WB_PART_CLOSE:
    case WB_PART_UNCLEAR:
        break;
    }
    put_until(w, behind(&w->t[p->end - 1]));
}

/* Tracks the open namespaces as "::a::b". `lengths` is the stack of outer lengths. */
static void note_scope(const writer *w, const wb_part *p, wb_buf *scope, wb_buf *lengths) {
    if (p->kind == WB_PART_OPEN) {
        wb_buf_putc(lengths, (char)(scope->len < 120 ? scope->len : 120));
        for (size_t i = p->first; i + 1 < p->end; i++)
            if (w->t[i].kind == WB_TOKEN_WORD && !wb_token_is(&w->t[i], "namespace") &&
                !wb_token_is(&w->t[i], "extern"))
                wb_buf_printf(scope, "::%.*s", (int)w->t[i].len, w->t[i].at);
        if (p->end - p->first == 2) /* namespace { */
            wb_buf_puts(scope, UNNAMED);
    } else if (p->kind == WB_PART_CLOSE && lengths->len) {
        scope->len = (size_t)lengths->data[--lengths->len];
        if (scope->data)
            scope->data[scope->len] = '\0';
    }
}

wb_unfit wb_host_text(const wb_parts *parts, size_t from, wb_buf *out, wb_word_set *instances) {
    writer w = {.parts = parts, .t = parts->tokens.v, .out = out, .instances = instances};
    WB_SCOPED_BUF wb_buf scope = {0}, lengths = {0};
    note_names(&w, from);
    const wb_part *first = from < parts->n ? &parts->v[from] : NULL;
    w.from = first ? w.t[first->first].at : "";
    /* its #line may have been among the #include lines, which are left out */
    if (first)
        wb_parts_put_place(first, out);
    for (size_t i = from; i < parts->n && w.unfit == WB_FITS; i++) {
        note_scope(&w, &parts->v[i], &scope, &lengths);
        put_part(&w, &parts->v[i], scope.data ? scope.data : "");
    }
    if (w.variables.len)
        wb_buf_printf(out,
                      "\n#line 1 \"warpbook\"\nstatic const __wb_direct_variable "
                      "__wb_direct_variables[] = {\n%s{0, 0, 0, 0}};\n",
                      w.variables.data);
    else
        wb_buf_puts(out, "\nstatic const __wb_direct_variable *const __wb_direct_variables = 0;\n");
    wb_buf_free(&w.variables);
    WB_CALL_EACH(wb_word_set_free, wb_word_set, &w.kernels, &w.templates, &w.device);
    return w.unfit;
}
