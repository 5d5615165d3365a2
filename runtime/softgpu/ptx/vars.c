/* vars.c: declarations of variables: shape, initial value, and addresses in it. */
#include "runtime/softgpu/ptx/internal.h"

/* A module with more initialised bytes is refused, because all of them are in memory. */
#define MAX_INIT_BYTES (UINT64_C(1) << 30)
#define MAX_VAR_BYTES (UINT64_C(1) << 46)

/* A declaration between the state space and the names. */
typedef struct declaration {
    ptx_space space;
    ptx_type type;
    uint32_t vector, align; /* align 0: the type's alignment */
    bool is_managed;
    ptx_linkage linkage;
} declaration;

typedef struct shape {
    uint64_t dims[PTX_MAX_DIMS]; /* the first may be 0: taken from the initial value */
    unsigned n_dims;
} shape;

/* Parses .attribute(.managed), .attribute(.unified(1, 2)). */
void ptx_attribute(ptx_parser *p, bool *is_managed) {
    ptx_expect(p, '(');
    do {
        ptx_symbol *name = ptx_directive(p);
        if (ptx_is(name, "managed"))
            *is_managed = true;
        else if (!ptx_is(name, "unified"))
            ptx_fail(p, _("the attribute '.%.100s' is not known"), name->text);
        if (ptx_accept(p, '(')) {
            do
                ptx_expr(p);
            while (ptx_accept(p, ','));
            ptx_expect(p, ')');
        }
    } while (ptx_accept(p, ','));
    ptx_expect(p, ')');
}

static uint32_t parse_align(ptx_parser *p) {
    uint64_t align = ptx_integer(p, 1 << 20, "an alignment");
    if (align == 0 || (align & (align - 1)))
        ptx_fail(p, _("an alignment is a power of two"));
    return (uint32_t)align;
}

/* Skips `.ptr .global .align 4` on a parameter, which describes its target. */
static void skip_ptr(ptx_parser *p) {
    while (ptx_peek(p) == '.') {
        ptx_symbol *name = ptx_directive(p);
        if (ptx_is(name, "align"))
            parse_align(p);
        else if (ptx_space_named(name->text) < 0)
            ptx_fail(p, _("'.%.100s' after .ptr is not known"), name->text);
    }
}

static void parse_declaration(ptx_parser *p, declaration *d) {
    while (ptx_peek(p) == '.') {
        ptx_symbol *name = ptx_directive(p);
        ptx_type type = ptx_type_named(name->text);
        if (type != PTX_NONE && d->type != PTX_NONE)
            ptx_fail(p, _("a declaration has one type, and here is '.%.100s' too"), name->text);
        if (type != PTX_NONE)
            d->type = type;
        else if (ptx_is(name, "align"))
            d->align = parse_align(p);
        else if (ptx_is(name, "ptr"))
            skip_ptr(p);
        else if (ptx_is(name, "v2") || ptx_is(name, "v4") || ptx_is(name, "v8"))
            d->vector = (uint32_t)(name->text[1] - '0');
        else if (ptx_is(name, "attribute"))
            ptx_attribute(p, &d->is_managed);
        else
            ptx_fail(p, _("'.%.100s' in a declaration is not known"), name->text);
    }
    if (d->type == PTX_NONE)
        ptx_fail(p, _("a declaration without a type"));
    if (d->type == PTX_PRED && d->space != PTX_SPACE_REG && d->space != PTX_SPACE_PARAM)
        ptx_fail(p, _("only registers are of type .pred"));
}

static shape parse_shape(ptx_parser *p) {
    shape s = {0};
    while (ptx_accept(p, '[')) {
        if (s.n_dims == PTX_MAX_DIMS)
            ptx_fail(p, _("an array has at most %d dimensions"), PTX_MAX_DIMS);
        if (ptx_peek(p) == ']' && s.n_dims == 0)
            s.dims[s.n_dims++] = 0;
        else
            s.dims[s.n_dims++] = ptx_integer(p, MAX_VAR_BYTES, "the size of an array");
        ptx_expect(p, ']');
    }
    return s;
}

static uint64_t times(ptx_parser *p, uint64_t a, uint64_t b) {
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > MAX_VAR_BYTES)
        ptx_fail(p, _("an array is too large"));
    return product;
}

static ptx_var make_var(ptx_parser *p, const declaration *d, const char *name, const shape *s) {
    unsigned unit = ptx_type_size(d->type) * d->vector;
    ptx_var var = {.name = name,
                   .space = d->space,
                   .type = d->type,
                   .vector = d->vector,
                   .align = d->align ? d->align : unit,
                   .elements = 1,
                   .is_extern = d->linkage.is_extern,
                   .is_managed = d->is_managed,
                   .is_weak = d->linkage.is_weak};
    for (unsigned i = 0; i < s->n_dims; i++)
        var.elements = times(p, var.elements, s->dims[i]);
    var.size = times(p, var.elements, unit);
    return var;
}

/* ---- initial values ------------------------------------------------------------------------- */

typedef struct init {
    ptx_var *var;
    uint64_t unit; /* bytes of a scalar */
} init;

/* Parses `sym` or `generic(sym)`, maybe with `+4`. mask: from 0xFF00(sym), else ~0. */
static void parse_address(ptx_parser *p, uint64_t offset, uint64_t mask) {
    struct ptx_reloc *r = ptx_push(p, &p->relocs, sizeof *r);
    *r = (struct ptx_reloc){.offset = offset, .mask = mask};
    ptx_symbol *name = ptx_ident(p, "a number or a name");
    if (ptx_is(name, "generic") && ptx_peek(p) == '(') {
        ptx_expect(p, '(');
        name = ptx_ident(p, "a name");
        ptx_expect(p, ')');
    }
    r->symbol = name->text;
    if (ptx_peek(p) == '+' || *p->at == '-')
        r->addend = (int64_t)ptx_expr(p).bits;
}

static void parse_scalar(ptx_parser *p, const init *in, uint64_t offset) {
    uint64_t mask = ~UINT64_C(0);
    if (!ptx_starts_number(p)) {
        parse_address(p, offset, mask);
        return;
    }
    ptx_value v = ptx_expr(p);
    if (ptx_peek(p) == '(' && !v.is_float) {
        ptx_expect(p, '(');
        parse_address(p, offset, v.bits);
        ptx_expect(p, ')');
        return;
    }
    ptx_type type = in->var->type;
    if (v.is_float && type != PTX_F32 && type != PTX_F64 && ptx_type_size(type) != v.is_float / 8u)
        ptx_fail(p, _("a floating-point value for a variable of another type"));
    uint64_t bits = ptx_literal(v.is_float, v.bits, type);
    memcpy(in->var->init + offset, &bits, in->unit < 8 ? in->unit : 8);
}

/* Parses the values of one level of braces, which fill `bytes` from `offset` on. */
static void parse_braces(ptx_parser *p, const init *in, const uint64_t *dims, unsigned n_dims,
                         uint64_t offset, uint64_t bytes) {
    uint64_t stride = n_dims > 1 ? bytes / dims[0] : in->unit, at = 0;
    ptx_expect(p, '{');
    while (ptx_peek(p) != '}') {
        if (at + stride > bytes)
            ptx_fail(p, _("more initial values than '%.300s' has room for"), in->var->name);
        if (*p->at == '{' && n_dims > 1)
            parse_braces(p, in, dims + 1, n_dims - 1, offset + at, stride);
        else if (n_dims > 1)
            ptx_fail(p, _("an initial value lacks braces"));
        else
            parse_scalar(p, in, offset + at);
        at += stride;
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, '}');
}

/* Counts the values in the outermost braces for `x[] = {...}`. Leaves the parser's state
 * unchanged. */
static uint64_t count_values(ptx_parser *p) {
    const char *at = p->at;
    uint64_t count = 1;
    unsigned depth = 0;
    for (; at < p->end; at++) {
        if (*at == '{' || *at == '(') {
            depth++;
        } else if (*at == '}' || *at == ')') {
            if (--depth == 0)
                return count;
        } else if (*at == ',' && depth == 1) {
            count++;
        }
    }
    ptx_fail(p, _("an initial value has no end"));
}

static void parse_init(ptx_parser *p, const declaration *d, ptx_var *var, shape *s) {
    if (d->space != PTX_SPACE_GLOBAL && d->space != PTX_SPACE_CONST)
        ptx_fail(p, _("only .global and .const variables take initial values"));
    if (s->n_dims > 0 && s->dims[0] == 0 && ptx_peek(p) == '{') {
        s->dims[0] = count_values(p);
        const char *name = var->name;
        *var = make_var(p, d, name, s);
    }
    p->init_bytes += var->size;
    if (var->size > MAX_INIT_BYTES || p->init_bytes > MAX_INIT_BYTES)
        ptx_fail(p, _("more than %llu bytes of initial values"),
                 (unsigned long long)MAX_INIT_BYTES);
    /* zero extents make the strides below meaningless, and no value fits */
    if (var->size == 0)
        ptx_fail(p, _("an initial value for '%.300s', which has no room"), var->name);
    if (d->vector > 1) {
        if (s->n_dims == PTX_MAX_DIMS)
            ptx_fail(p, _("an array has at most %d dimensions"), PTX_MAX_DIMS);
        s->dims[s->n_dims++] = d->vector;
    }
    init in = {.var = var, .unit = ptx_type_size(d->type)};
    var->init = ptx_alloc(p, var->size);
    if (s->n_dims == 0)
        parse_scalar(p, &in, 0);
    else
        parse_braces(p, &in, s->dims, s->n_dims, 0, var->size);
    var->relocs = ptx_take(p, &p->relocs, 0, sizeof *var->relocs, &var->n_relocs);
}

/* ---- declarators ---------------------------------------------------------------------------- */

static ptx_vec *list_for(ptx_parser *p, ptx_space space) {
    if (space == PTX_SPACE_REG)
        return &p->regs;
    bool is_global = space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST || !p->function;
    return is_global ? &p->globals : &p->locals;
}

/* Returns the variable of an earlier `.extern` or weak declaration with this name, or NULL. */
static ptx_var *declared_before(ptx_parser *p, const ptx_symbol *name, const ptx_var *now) {
    ptx_binding *b = name->binding;
    if (!b || b->depth != p->depth || !b->var || b->var->space != now->space)
        return NULL;
    bool may = b->var->is_extern || now->is_extern || b->var->is_weak || now->is_weak;
    return may ? b->var : NULL;
}

static void declare(ptx_parser *p, const declaration *d, ptx_symbol *name) {
    shape s = parse_shape(p);
    ptx_var now = make_var(p, d, name->text, &s);
    if (d->space == PTX_SPACE_REG && s.n_dims > 0)
        ptx_fail(p, _("arrays of registers are not supported"));
    ptx_var *var = declared_before(p, name, &now);
    if (!var) {
        ptx_vec *list = list_for(p, d->space);
        var = ptx_alloc(p, sizeof *var);
        now.index = list->count;
        *(ptx_var **)ptx_push(p, list, sizeof var) = var;
        *var = now;
        ptx_bind(p, name, var, NULL); /* before its value, which may contain its address */
    } else if (var->is_extern || now.init) {
        now.index = var->index;
        *var = now;
    }
    if (ptx_accept(p, '='))
        parse_init(p, d, var, &s);
}

static void declare_range(ptx_parser *p, const declaration *d, ptx_symbol *prefix) {
    ptx_range range = {.type = d->type, .vector = d->vector};
    ptx_value count = ptx_number(p); /* no expression, because '>' ends it */
    if (count.is_float || count.bits > UINT32_MAX)
        ptx_fail(p, _("the number of registers '%.300s' is not one"), prefix->text);
    range.count = count.bits;
    ptx_expect(p, '>');
    ptx_bind_range(p, prefix, &range);
}

void ptx_variables(ptx_parser *p, ptx_space space, ptx_linkage linkage) {
    declaration d = {.space = space, .vector = 1, .linkage = linkage};
    if (space == PTX_SPACE_REG && !p->function)
        ptx_fail(p, _("registers are declared in functions only"));
    parse_declaration(p, &d);
    do {
        ptx_symbol *name = ptx_ident(p, "a variable's name");
        if (space == PTX_SPACE_REG && ptx_accept(p, '<'))
            declare_range(p, &d, name);
        else
            declare(p, &d, name);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void parse_parameter(ptx_parser *p, ptx_vec *list, uint32_t index) {
    ptx_symbol *word = ptx_directive(p);
    int space = ptx_space_named(word->text);
    if (space != PTX_SPACE_PARAM && space != PTX_SPACE_REG)
        ptx_fail(p, _("a parameter is .param or .reg, not '.%.100s'"), word->text);
    declaration d = {.space = (ptx_space)space, .vector = 1};
    parse_declaration(p, &d);
    ptx_symbol *name = ptx_ident(p, "a parameter's name");
    shape s = parse_shape(p);
    ptx_var *var = ptx_push(p, list, sizeof *var);
    *var = make_var(p, &d, name->text, &s);
    var->index = index;
}

ptx_var *ptx_parameters(ptx_parser *p, uint32_t *count) {
    uint32_t first = p->params.count;
    ptx_expect(p, '(');
    if (!ptx_accept(p, ')')) {
        do
            parse_parameter(p, &p->params, p->params.count - first);
        while (ptx_accept(p, ','));
        ptx_expect(p, ')');
    }
    return ptx_take(p, &p->params, first, sizeof(ptx_var), count);
}
