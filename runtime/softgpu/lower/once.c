/* once.c: what a warp need not compute again for each block. A thread's values that follow
 * from its place in the block, the launch's dimensions and parameters and constants alone are the
 * same in every block that runs on the same registers. Instructions that make such values, and
 * nothing else, go before the kernel's first one and run when the registers are new. They run for
 * all lanes, also those that would not have come by: what they compute harms nobody, and nobody
 * else writes those registers. Counters go by the PTX, so they do not change.
 *
 * The condition: the instruction cannot fault and has no guard, its result is one register that no
 * other instruction writes, and its sources are such values, further up in the text. */
#include "runtime/softgpu/lower/lower.h"

/* Registers that are results, or that may be: whatever an instruction names first, but an address.
 */
static void count_writes(const ptx_operand *op, uint8_t *writes) {
    if (op->kind == PTX_OP_REG && writes[op->reg->index] < 2)
        writes[op->reg->index]++;
    for (uint32_t k = 0; k < op->n_items; k++)
        count_writes(&op->items[k], writes);
}

/* Reads a parameter of the kernel at a fixed offset? */
static bool reads_parameter(const lowering *l, const ptx_inst *inst) {
    const ptx_function *s = l->source;
    if (strcmp(inst->opcode, "ld") || !ptx_modified(inst, "param") || inst->n_ops < 2)
        return false;
    const ptx_operand *from = &inst->ops[1];
    return from->kind == PTX_OP_ADDR && !from->reg && from->var >= s->params &&
           from->var < s->params + s->n_params;
}

static bool computes_only(const ptx_inst *inst) {
    return lower_among(inst->opcode,
                       "mov cvta add sub mul mad fma div rem min max neg abs and or xor not shl "
                       "shr shf bfe bfi prmt lop3 mul24 mad24 sad cvt clz brev popc setp selp") &&
           !ptx_modified(inst, "cc"); /* a carry is a second result */
}

static bool is_settled(const lowering *l, const ptx_operand *op) {
    switch (op->kind) {
    case PTX_OP_REG:
        return !op->component && l->settled[op->reg->index];
    case PTX_OP_IMM:
    case PTX_OP_SYMBOL:
        return true;
    case PTX_OP_SPECIAL:
        return lower_block_special(op->name);
    default:
        return false;
    }
}

/* mov.u32 %r, %ctaid.x: the register is the special register's place, filled when a block starts.
 */
static bool names_block(lowering *l, const ptx_inst *inst) {
    const ptx_operand *dst = &inst->ops[0], *src = &inst->ops[1];
    if (strcmp(inst->opcode, "mov") || src->kind != PTX_OP_SPECIAL ||
        ptx_type_size(dst->reg->type) != 4 ||
        (!ptx_modified(inst, "u32") && !ptx_modified(inst, "b32") && !ptx_modified(inst, "s32")))
        return false;
    int kind = lower_special_kind(src->name);
    if (!sg_special_per_block(kind))
        return false;
    l->reg_place[dst->reg->index] = lower_special(l, kind, 4);
    return true;
}

bool lower_find_once(lowering *l) {
    const ptx_function *f = l->source;
    uint8_t *writes = calloc((size_t)f->n_regs + 1, sizeof *writes);
    l->settled = calloc((size_t)f->n_regs + 1, sizeof *l->settled);
    l->once = calloc((size_t)f->n_insts + 1, sizeof *l->once);
    if (!writes || !l->settled || !l->once || !f->is_entry) {
        free(writes);
        return l->settled && l->once && writes;
    }
    for (uint32_t k = 0; k < f->n_insts; k++)
        if (f->insts[k].n_ops)
            count_writes(&f->insts[k].ops[0], writes);
    for (uint32_t k = 0; k < f->n_insts; k++) {
        const ptx_inst *inst = &f->insts[k];
        if (inst->guard || inst->n_ops < 2 || inst->ops[0].kind != PTX_OP_REG ||
            inst->ops[0].component || writes[inst->ops[0].reg->index] != 1)
            continue;
        if (!l->affine[inst->ops[0].reg->index] && names_block(l, inst)) {
            l->once[k] = LOWER_NEVER;
            l->last_use[inst->ops[0].reg->index] = UINT32_MAX;
            continue;
        }
        bool once = reads_parameter(l, inst);
        if (!once && computes_only(inst)) {
            once = true;
            for (uint32_t o = 1; o < inst->n_ops; o++)
                once &= is_settled(l, &inst->ops[o]);
        }
        if (!once)
            continue;
        l->once[k] = LOWER_ONCE;
        l->settled[inst->ops[0].reg->index] = true;
        l->last_use[inst->ops[0].reg->index] = UINT32_MAX; /* it shares its place with nobody */
    }
    free(writes);
    return true;
}
