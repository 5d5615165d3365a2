/* once.c: values that a warp computes once for all blocks. They depend only on the thread's place
 * in the block, the launch's dimensions, parameters and constants. Every block that runs on the
 * same registers has the same values. Instructions for them move before the kernel's first one and
 * run when the registers are new. They run for all lanes, even those that would not reach them.
 * This is harmless, because nothing else writes their registers. Counters follow the PTX, so they
 * do not change.
 *
 * Conditions: the instruction cannot fault and has no guard. Its result is one register that no
 * other instruction writes. Its sources are such values from earlier instructions. */
#include "runtime/softgpu/lower/lower.h"
#include "runtime/base/scoped.h"

/* Counts writes to registers that are or may be results: the first operand unless it is an address.
 */
static void count_writes(const ptx_operand *op, uint8_t *writes) {
    if (op->kind == PTX_OP_REG && writes[op->reg->index] < 2)
        writes[op->reg->index]++;
    for (uint32_t k = 0; k < op->n_items; k++)
        count_writes(&op->items[k], writes);
}

/* Returns true if the instruction reads a kernel parameter at a fixed offset. */
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
        return lower_block_special(op);
    default:
        return false;
    }
}

/* Returns true for mov.u32 %r, %ctaid.x. The register then is the special register's place, which
 * is filled when a block starts.
 */
static bool names_block(lowering *l, const ptx_inst *inst) {
    const ptx_operand *dst = &inst->ops[0], *src = &inst->ops[1];
    if (strcmp(inst->opcode, "mov") || src->kind != PTX_OP_SPECIAL ||
        ptx_type_size(dst->reg->type) != 4 ||
        (!ptx_modified(inst, "u32") && !ptx_modified(inst, "b32") && !ptx_modified(inst, "s32")))
        return false;
    if (!sg_special_per_block(src->special))
        return false;
    l->reg_place[dst->reg->index] = lower_special(l, src->special, 4);
    return true;
}

bool lower_find_once(lowering *l) {
    const ptx_function *f = l->source;
    WB_SCOPED uint8_t *writes = calloc((size_t)f->n_regs + 1, sizeof *writes);
    l->settled = calloc((size_t)f->n_regs + 1, sizeof *l->settled);
    l->once = calloc((size_t)f->n_insts + 1, sizeof *l->once);
    if (!writes || !l->settled || !l->once || !f->is_entry)
        return l->settled && l->once && writes;
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
        l->last_use[inst->ops[0].reg->index] = UINT32_MAX; /* its place is not shared */
    }
    return true;
}
