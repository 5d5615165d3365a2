/* parse_func.c: a function: its name, results, parameters and body. */
#include "runtime/softgpu/ptx/internal.h"

/* Returns the ptx_function of that name. A declaration and its later definition share one, so that
 * a call between them points to the definition. */
static ptx_function *function_named(ptx_parser *p, ptx_symbol *name, bool is_entry) {
    const ptx_binding *b = name->binding;
    if (b && !b->function)
        ptx_fail(p, _("'%.300s' is a variable and a function"), name->text);
    if (b && b->function->is_entry != is_entry)
        ptx_fail(p, _("'%.300s' is declared as .entry and as .func"), name->text);
    if (b)
        return b->function;
    ptx_function *f = ptx_alloc(p, sizeof *f);
    f->name = name->text;
    f->is_entry = is_entry;
    f->is_declaration = true;
    *(ptx_function **)ptx_push(p, &p->functions, sizeof f) = f;
    ptx_bind(p, name, NULL, f);
    return f;
}

static uint64_t round_up(uint64_t n, uint64_t align) {
    return (n + align - 1) / align * align;
}

/* Assigns each parameter its aligned offset. */
static void lay_out_parameters(ptx_parser *p, ptx_function *f) {
    f->param_offsets = ptx_alloc(p, f->n_params * sizeof *f->param_offsets);
    uint64_t at = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        at = round_up(at, f->params[i].align ? f->params[i].align : 1);
        if (at + f->params[i].size > UINT32_MAX)
            ptx_fail(p, _("the parameters of '%.300s' are too large"), f->name);
        f->param_offsets[i] = (uint32_t)at;
        at += f->params[i].size;
    }
    f->param_bytes = at;
}

static void bind_parameters(ptx_parser *p, ptx_var *vars, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        ptx_var *var = &vars[i];
        if (var->space == PTX_SPACE_REG) { /* old style: an ordinary register */
            var->index = p->regs.count;
            *(ptx_var **)ptx_push(p, &p->regs, sizeof var) = var;
        }
        if (strcmp(var->name, "_") != 0)
            ptx_bind(p, ptx_intern(p, var->name, strlen(var->name)), var, NULL);
    }
}

static void parse_body(ptx_parser *p, ptx_function *f) {
    p->function = f;
    p->regs.count = p->locals.count = p->insts.count = 0;
    p->operands.count = p->label_refs.count = 0;
    p->place = 0;
    p->nounroll = false;
    ptx_scope_open(p);
    bind_parameters(p, f->returns, f->n_returns);
    bind_parameters(p, f->params, f->n_params);
    ptx_body(p);
    f->regs = ptx_take(p, &p->regs, 0, sizeof *f->regs, &f->n_regs);
    f->locals = ptx_take(p, &p->locals, 0, sizeof *f->locals, &f->n_locals);
    f->insts = ptx_take(p, &p->insts, 0, sizeof *f->insts, &f->n_insts);
    p->function = NULL;
}

void ptx_function_parse(ptx_parser *p, bool is_entry, ptx_linkage linkage) {
    bool is_managed;
    uint32_t n_returns = 0, n_params = 0;
    ptx_var *returns = NULL, *params = NULL;
    while (ptx_peek(p) == '.') { /* .attribute before the name */
        ptx_symbol *word = ptx_directive(p);
        if (!ptx_is(word, "attribute"))
            ptx_fail(p, _("'.%.100s' before a function's name is not known"), word->text);
        ptx_attribute(p, &is_managed);
    }
    if (ptx_peek(p) == '(')
        returns = ptx_parameters(p, &n_returns);
    ptx_symbol *name = ptx_ident(p, "a function's name");
    ptx_function *f = function_named(p, name, is_entry);
    if (ptx_peek(p) == '(')
        params = ptx_parameters(p, &n_params);
    bool repeated = !f->is_declaration;
    if (!repeated) {
        f->returns = returns;
        f->n_returns = n_returns;
        f->params = params;
        f->n_params = n_params;
        f->is_weak |= linkage.is_weak;
        lay_out_parameters(p, f);
    }
    while (ptx_peek(p) == '.')
        ptx_function_directive(p, f);
    if (ptx_accept(p, ';'))
        return;
    if (repeated)
        ptx_fail(p, _("'%.300s' has two bodies"), name->text);
    parse_body(p, f);
    f->is_declaration = false;
}
