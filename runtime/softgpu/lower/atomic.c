/* atomic.c: atom and red with all operations, types and scopes. */

#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/trace/waits.h"

/* Returns true if the type has the operation: PTX ISA, "atom", table of operations and types. */
static bool allowed(enum sg_atomic_op op, ptx_type type) {
    uint32_t size = ptx_type_size(type);
    bool is_float = lower_is_float(type);
    switch (op) {
    case SG_ATOM_ADD:
        return is_float ? type != PTX_TF32 : size >= 4;
    case SG_ATOM_MIN:
    case SG_ATOM_MAX:
        return is_float ? type != PTX_TF32 && type != PTX_F32 && type != PTX_F64 : size >= 4;
    case SG_ATOM_INC:
    case SG_ATOM_DEC:
        return type == PTX_U32;
    case SG_ATOM_CAS:
        return !is_float && (size == 2 || size == 4 || size == 8);
    default:
        return !is_float && size >= 4 && size <= 8;
    }
}

/* Returns true if the returned value is used. Compilers write "atom" in other cases too. */
static bool is_read(lowering *l) {
    const ptx_operand *to = lower_op(l, 0);
    return to->kind == PTX_OP_REG ? lower_is_read(l->source, l->inst, to->reg)
                                  : to->kind == PTX_OP_VECTOR;
}

/* Takes the modifiers: operation, space, vector and type. */
static sg_atom *atom_of(lowering *l, bool returns) {
    static const char *const names[] = {"add", "min",  "max", "and", "or",
                                        "xor", "exch", "cas", "inc", "dec"};
    sg_atom *a = lower_own(l, sizeof *a);
    lower_takes(l, "relaxed acquire release acq_rel cta gpu sys cluster noftz L2::cache_hint");
    if (lower_has(l, "async"))
        lower_unknown(l);
    a->op = (enum sg_atomic_op)lower_index(l, names, WB_COUNT(names));
    a->space = lower_space(l);
    a->n = lower_has(l, "v2") ? 2 : lower_has(l, "v4") ? 4 : lower_has(l, "v8") ? 8 : 1;
    a->type = lower_type(l);
    a->returns = returns;
    if (!allowed(a->op, a->type))
        lower_unknown(l);
    a->wide_address = a->space != PTX_SPACE_SHARED;
    return a;
}

bool lower_atomic(lowering *l) {
    bool returns = ptx_op_is(l->inst, "atom");
    if (!returns && !ptx_op_is(l->inst, "red"))
        return false;
    sg_atom *a = atom_of(l, returns);
    uint32_t first = returns ? 1 : 0;
    const ptx_operand *addr = lower_op(l, first), *value = lower_op(l, first + 1);
    int64_t offset;
    int32_t place = lower_address(l, addr, a->wide_address ? 8 : 4, &offset);
    for (uint32_t k = 0; k < a->n; k++) {
        const ptx_operand *v =
            value->kind == PTX_OP_VECTOR ? &value->items[k < value->n_items ? k : 0] : value;
        a->b[k] = lower_src(l, v, a->type);
        a->c[k] = a->op == SG_ATOM_CAS ? lower_src(l, lower_op(l, first + 2), a->type) : a->b[k];
        if (!returns)
            continue;
        const ptx_operand *to = lower_op(l, 0);
        if (to->kind == PTX_OP_VECTOR)
            to = &to->items[k < to->n_items ? k : 0];
        a->dst[k] = lower_dst(l, to, a->type);
    }
    if (a->op == SG_ATOM_CAS || a->op == SG_ATOM_EXCH)
        lower_emit(l, "spin_mark")->imm = 20; /* may be a lock */
    a->asks = returns && is_read(l);
    if (a->asks)
        lower_wait(l, a->space != PTX_SPACE_SHARED, true);
    bool release = ptx_modified(l->inst, "release") || ptx_modified(l->inst, "acq_rel");
    bool block = a->space == PTX_SPACE_SHARED || ptx_modified(l->inst, "cta");
    lower_race_sync(l, (returns ? SG_RACE_ACQUIRE : 0) | (release ? SG_RACE_RELEASE : 0) |
                           (block ? SG_RACE_BLOCK : 0));
    uint32_t bytes = ptx_type_size(a->type);
    int cas = a->op != SG_ATOM_CAS || !a->asks ? 0 : bytes == 8 ? SG_TURN_CAS_WIDE : SG_TURN_CAS;
    lower_turn(l, place, offset, bytes * a->n,
               SG_TURN_ATOMIC | (a->asks ? 0 : SG_TURN_WRITES) | cas, a->b[0]);
    sg_op *op = lower_emit(l, "atom");
    op->a = place;
    op->offset = offset;
    op->aux = a;
    op->width = (uint8_t)(bytes * a->n);
    op->site = (uint8_t)(l->site++ % SG_SITES);
    return true;
}
