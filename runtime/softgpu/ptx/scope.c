/* scope.c: the meaning of names. Registers, variables and functions share one namespace, and labels
 * have another. Both are block-scoped. A label may be used before its definition, so uses are
 * resolved at the end of the scope that could define it. */
#include "runtime/softgpu/ptx/internal.h"

static ptx_scope *current(ptx_parser *p) {
    return &p->scopes[p->depth];
}

void ptx_scope_open(ptx_parser *p) {
    if (p->depth + 1 == PTX_MAX_DEPTH)
        ptx_fail(p, _("blocks are nested deeper than %d levels"), PTX_MAX_DEPTH);
    p->depth++;
    *current(p) = (ptx_scope){.first_ref = p->label_refs.count};
}

/* ---- names ---------------------------------------------------------------------------------- */

static void bind_at(ptx_parser *p, ptx_symbol *symbol, uint32_t depth, ptx_var *var,
                    ptx_function *function) {
    ptx_binding *b = ptx_alloc(p, sizeof *b);
    *b = (ptx_binding){.symbol = symbol,
                       .outer = symbol->binding,
                       .in_scope = p->scopes[depth].bindings,
                       .var = var,
                       .function = function,
                       .depth = depth};
    symbol->binding = b;
    p->scopes[depth].bindings = b;
}

void ptx_bind(ptx_parser *p, ptx_symbol *symbol, ptx_var *var, ptx_function *function) {
    if (symbol->binding && symbol->binding->depth == p->depth)
        ptx_fail(p, _("'%.300s' is declared twice"), symbol->text);
    bind_at(p, symbol, p->depth, var, function);
}

void ptx_bind_range(ptx_parser *p, ptx_symbol *prefix, const ptx_range *range) {
    if (prefix->range && prefix->range->depth == p->depth)
        ptx_fail(p, _("registers '%.300s<...>' are declared twice"), prefix->text);
    ptx_range *r = ptx_alloc(p, sizeof *r);
    *r = *range;
    r->prefix = prefix;
    r->outer = prefix->range;
    r->in_scope = current(p)->ranges;
    r->depth = p->depth;
    prefix->range = r;
    current(p)->ranges = r;
    if (p->depth > 1)
        p->nested_ranges++;
}

/* Returns the innermost range with this name: "%r12" as "%r" 12 or "%r1" 2. Returns NULL if there
 * is none. */
static ptx_range *range_of(ptx_parser *p, const ptx_symbol *symbol) {
    ptx_range *best = NULL;
    uint64_t number = 0, unit = 1;
    for (uint32_t at = symbol->len; at > 1 && symbol->len - at < 10; unit *= 10) {
        char digit = symbol->text[--at];
        if (digit < '0' || digit > '9')
            break;
        number += (uint64_t)(digit - '0') * unit;
        if (digit == '0' && symbol->len - at > 1)
            continue; /* no leading zeros */
        const ptx_symbol *prefix = ptx_symbol_find(p, symbol->text, at);
        ptx_range *range = prefix ? prefix->range : NULL;
        while (range && number >= range->count)
            range = range->outer;
        if (range && (!best || range->depth > best->depth))
            best = range;
    }
    return best;
}

static ptx_var *new_register(ptx_parser *p, const char *name, ptx_type type, uint32_t vector) {
    ptx_var *var = ptx_alloc(p, sizeof *var);
    unsigned size = ptx_type_size(type);
    *var = (ptx_var){.name = name,
                     .space = PTX_SPACE_REG,
                     .type = type,
                     .vector = vector,
                     .align = size * vector,
                     .elements = 1,
                     .size = (uint64_t)size * vector,
                     .index = p->regs.count};
    *(ptx_var **)ptx_push(p, &p->regs, sizeof var) = var;
    return var;
}

const ptx_binding *ptx_lookup(ptx_parser *p, ptx_symbol *symbol) {
    ptx_binding *b = symbol->binding;
    if (b && (b->depth == p->depth || !p->nested_ranges))
        return b;
    ptx_range *range = range_of(p, symbol);
    if (!range || (b && b->depth >= range->depth))
        return b;
    ptx_var *var = new_register(p, symbol->text, range->type, range->vector);
    bind_at(p, symbol, range->depth, var, NULL);
    return symbol->binding;
}

/* ---- labels --------------------------------------------------------------------------------- */

ptx_label *ptx_label_here(ptx_parser *p, ptx_symbol *symbol) {
    if (symbol->label && symbol->label->depth == p->depth)
        ptx_fail(p, _("the label '%.300s' stands here twice"), symbol->text);
    ptx_label *label = ptx_alloc(p, sizeof *label);
    *label = (ptx_label){.symbol = symbol,
                         .outer = symbol->label,
                         .in_scope = current(p)->labels,
                         .depth = p->depth,
                         .inst = p->insts.count};
    symbol->label = label;
    current(p)->labels = label;
    if (p->debug)
        *(ptx_label_place *)ptx_push(p, &p->labels, sizeof(ptx_label_place)) =
            (ptx_label_place){symbol->text, p->function, p->insts.count};
    return label;
}

void ptx_label_use(ptx_parser *p, ptx_symbol *symbol, uint32_t *slot) {
    ptx_label_ref *ref = ptx_push(p, &p->label_refs, sizeof *ref);
    *ref = (ptx_label_ref){.symbol = symbol, .slot = slot, .line = p->line};
}

/* Resolves uses of this scope's labels. The others wait for the enclosing scope. */
static void settle_labels(ptx_parser *p) {
    ptx_label_ref *refs = p->label_refs.data;
    ptx_inst *insts = p->insts.data;
    uint32_t kept = current(p)->first_ref;
    for (uint32_t i = kept; i < p->label_refs.count; i++) {
        const ptx_label *label = refs[i].symbol->label;
        if (label && label->depth == p->depth && label->kind == refs[i].kind) {
            if (label->kind == PTX_LABEL_CODE) {
                *refs[i].slot = label->inst;
                continue;
            }
            insts[refs[i].inst].targets = label->targets;
            insts[refs[i].inst].n_targets = label->n_targets;
        } else if (p->depth > 1) {
            refs[kept++] = refs[i];
        } else {
            p->line = refs[i].line;
            ptx_fail(p, _("there is no label '%.300s' in reach of this branch"),
                     refs[i].symbol->text);
        }
    }
    p->label_refs.count = kept;
}

void ptx_scope_close(ptx_parser *p) {
    ptx_scope *scope = current(p);
    settle_labels(p);
    for (ptx_label *l = scope->labels; l; l = l->in_scope)
        l->symbol->label = l->outer;
    for (ptx_binding *b = scope->bindings; b; b = b->in_scope)
        b->symbol->binding = b->outer;
    for (ptx_range *r = scope->ranges; r; r = r->in_scope) {
        r->prefix->range = r->outer;
        if (p->depth > 1)
            p->nested_ranges--;
    }
    p->depth--;
}
