/* ptx_fuzz.c: any bytes at all through the parser and the control-flow analysis. */
#include <assert.h>
#include <stdlib.h>
#include "runtime/softgpu/ptx/ptx.h"

static void check_operand(const ptx_function *f, const ptx_operand *o) {
    if (o->kind == PTX_OP_REG)
        assert(o->reg && o->reg->index < f->n_regs && f->regs[o->reg->index] == o->reg);
    if (o->kind == PTX_OP_LABEL)
        assert(o->target <= f->n_insts);
    for (uint32_t i = 0; i < o->n_items; i++)
        check_operand(f, &o->items[i]);
}

static void check_function(const ptx_function *f) {
    for (uint32_t i = 0; i < f->n_insts; i++) {
        for (uint32_t k = 0; k < f->insts[i].n_ops; k++)
            check_operand(f, &f->insts[i].ops[k]);
        for (uint32_t k = 0; k < f->insts[i].n_targets; k++)
            assert(f->insts[i].targets[k] <= f->n_insts);
    }
    uint32_t *reconv = ptx_reconvergence(f);
    for (uint32_t i = 0; reconv && i < f->n_insts; i++)
        assert(reconv[i] <= f->n_insts || reconv[i] == UINT32_MAX);
    free(reconv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ptx_error err;
    ptx_module *module = ptx_link((const char *)data, size, &err);
    for (uint32_t i = 0; module && i < module->n_functions; i++)
        check_function(module->functions[i]);
    if (!module)
        assert(err.text[0]);
    ptx_free(module);
    return 0;
}
