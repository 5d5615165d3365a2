/* call.c: calls of the module's functions, and of functions that the driver provides. */
#include "runtime/softgpu/exec/builtin.h"
#include "runtime/softgpu/lower/lower.h"

/* Returns a call's parameter: a .param variable (a place in local memory), a register or a
 * constant. */
static struct sg_call_arg argument(lowering *l, const ptx_operand *op, const ptx_var *param) {
    struct sg_call_arg a = {.is_reg = true};
    ptx_type type = param ? param->type : op->kind == PTX_OP_REG ? op->reg->type : PTX_B64;
    const ptx_var *v = op->kind == PTX_OP_SYMBOL || op->kind == PTX_OP_ADDR ? op->var : NULL;
    if (v && v->space == PTX_SPACE_PARAM) {
        a.is_reg = false;
        a.place = lower_local_place(l, v);
        a.bytes = (uint32_t)(v->size ? v->size : ptx_type_size(v->type));
        if (a.place < 0)
            lower_refuse(l, _("the parameter %s has no place"), v->name);
        return a;
    }
    if (op->kind == PTX_OP_REG && op->reg->type == PTX_PRED)
        lower_unknown(l);
    a.place = lower_src(l, op, type);
    a.bytes = ptx_type_size(type) > 4 ? 8 : 4;
    return a;
}

static struct sg_call_arg *arguments(lowering *l, const ptx_operand *list, const ptx_var *params,
                                     uint32_t n_params, uint32_t *n) {
    *n = list ? list->n_items : 0;
    struct sg_call_arg *args = lower_own(l, *n * sizeof *args);
    for (uint32_t k = 0; k < *n; k++) {
        args[k] = argument(l, &list->items[k], params && k < n_params ? &params[k] : NULL);
        uint64_t room = params && k < n_params ? params[k].size : args[k].bytes;
        if (room && args[k].bytes > room && !args[k].is_reg)
            lower_refuse(l, _("argument %u has %u bytes where the function takes %llu"), k + 1,
                         args[k].bytes, (unsigned long long)room);
    }
    return args;
}

/* Calls a function of the device's library, which has no body in the module. */
static void call_builtin(lowering *l, const char *name, const ptx_operand *args,
                         const ptx_operand *rets) {
    const sg_builtin *b = sg_builtin_find(name);
    if (!b && (strstr(name, "cudaCDP2") || strstr(name, "cudaLaunchDevice")))
        lower_refuse_as(l, SG_REFUSED_DYNAMIC_PARALLELISM);
    if (!b)
        lower_refuse(l,
                     _("the function %s is not defined in this module; link the code that "
                       "defines it"),
                     name);
    sg_builtin_call *c = lower_own(l, sizeof *c);
    uint32_t n_args, n_rets;
    c->args = arguments(l, args, NULL, 0, &n_args);
    c->rets = arguments(l, rets, NULL, 0, &n_rets);
    if (n_args != b->n_args || n_rets > 1)
        lower_refuse(l, _("%s takes %u parameters"), b->name, b->n_args);
    c->run = b->run;
    c->n_rets = n_rets;
    lower_wrote(l);
    lower_emit(l, "builtin")->aux = c;
}

void lower_call(lowering *l) {
    const ptx_inst *inst = l->inst;
    const ptx_operand *rets = NULL, *callee = NULL, *args = NULL;
    lower_has(l, "uni");
    lower_done(l);
    for (uint32_t k = 0; k < inst->n_ops; k++) {
        const ptx_operand *op = &inst->ops[k];
        if (op->kind == PTX_OP_CALLEE && !callee)
            callee = op;
        else if (op->kind == PTX_OP_LIST && !callee)
            rets = op;
        else if (op->kind == PTX_OP_LIST && !args)
            args = op;
    }
    if (!callee)
        lower_refuse(l, _("the call names no function"));
    sg_call *call = lower_own(l, sizeof *call);
    const ptx_function *f = sg_function_defined(l->module, callee->function);
    if (callee->reg) {
        ptx_operand reg = {.kind = PTX_OP_REG, .reg = callee->reg};
        int32_t target = lower_src(l, &reg, PTX_U64);
        call->args = arguments(l, args, NULL, 0, &call->n_args);
        call->rets = arguments(l, rets, NULL, 0, &call->n_rets);
        sg_op *op = lower_emit(l, "call");
        op->a = target;
        op->aux = call;
        lower_emit(l, "sync"); /* lanes that called different functions reconverge here */
        return;
    }
    if (!f || f->is_declaration) {
        call_builtin(l, callee->name ? callee->name : f ? f->name : "?", args, rets);
        return;
    }
    uint32_t index = sg_function_index(l->module, f);
    call->callee = index == UINT32_MAX ? NULL : l->code->funcs[index];
    if (!call->callee)
        lower_refuse(l, _("the function %s is not defined in this module"), f->name);
    call->args = arguments(l, args, f->params, f->n_params, &call->n_args);
    call->rets = arguments(l, rets, f->returns, f->n_returns, &call->n_rets);
    if (call->n_args != f->n_params || call->n_rets > f->n_returns)
        lower_refuse(l, _("the call passes %u parameters to %s, which takes %u"), call->n_args,
                     f->name, f->n_params);
    lower_emit(l, "call")->aux = call;
}
