/* warp.c: instructions across the lanes of a warp, and barriers of a block. */

#include "runtime/softgpu/lower/lower.h"

/* Returns SG_F_MASKS if lanes may have different masks. The member mask of a .sync instruction is
 * its last operand, maybe in a register. */
static uint8_t mask_flag(lowering *l, uint32_t at) {
    return lower_op(l, at)->kind == PTX_OP_IMM ? 0 : SG_F_MASKS;
}

static int32_t members(lowering *l, uint32_t at) {
    if (!lower_has(l, "sync"))
        lower_refuse(
            l, _("the form without .sync was removed with compute capability 7.0; use the _sync "
                 "intrinsic"));
    return lower_src(l, lower_op(l, at), PTX_B32);
}

/* Splits the result REG|PRED of an instruction. Returns the predicate's place, or -1. */
static int32_t split(lowering *l, const ptx_operand **dst) {
    *dst = lower_op(l, 0);
    if ((*dst)->kind != PTX_OP_PAIR)
        return -1;
    const ptx_operand *pred = &(*dst)->items[1];
    *dst = &(*dst)->items[0];
    return pred->kind == PTX_OP_REG ? lower_pred_place(l, pred->reg) : -1;
}

static void shuffle(lowering *l) {
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    int mode = lower_index(l, modes, WB_COUNT(modes));
    lower_type(l);
    const ptx_operand *dst;
    int32_t pred = split(l, &dst);
    int32_t d = lower_dst(l, dst, PTX_B32);
    int32_t a = lower_src(l, lower_op(l, 1), PTX_B32), b = lower_src(l, lower_op(l, 2), PTX_B32);
    int32_t c = lower_src(l, lower_op(l, 3), PTX_B32), f = members(l, 4);
    sg_op *op = lower_put(l, d, a, b, c, "shfl");
    op->f = f;
    op->flags |= mask_flag(l, 4);
    op->mode = (uint8_t)mode;
    op->e = pred;
}

static void vote(lowering *l) {
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    int mode = lower_index(l, modes, WB_COUNT(modes));
    ptx_type type = lower_type(l);
    bool negated;
    int32_t p = lower_pred(l, lower_op(l, 1), &negated), f = members(l, 2);
    if ((mode == 3) != (type == PTX_B32))
        lower_unknown(l);
    int32_t d = mode == 3 ? lower_dst(l, lower_op(l, 0), PTX_B32)
                          : lower_pred_place(l, lower_op(l, 0)->reg);
    sg_op *op = lower_put(l, d, p, 0, 0, "vote");
    op->f = f;
    op->mode = (uint8_t)mode;
    op->flags |= (negated ? SG_F_NEGATE : 0) | mask_flag(l, 2);
}

static void match(lowering *l) {
    static const char *const modes[] = {"any", "all"};
    int mode = lower_index(l, modes, WB_COUNT(modes));
    ptx_type type = lower_type(l);
    const ptx_operand *dst;
    int32_t pred = split(l, &dst);
    int32_t d = lower_dst(l, dst, PTX_B32);
    int32_t a = lower_src(l, lower_op(l, 1), type), f = members(l, 2);
    sg_op *op = lower_put(l, d, a, 0, 0, "match");
    op->f = f;
    op->flags |= mask_flag(l, 2);
    op->width = (uint8_t)ptx_type_size(type);
    op->mode = (uint8_t)mode;
    op->e = pred;
}

static void reduce(lowering *l) {
    static const char *const names[] = {"add", "and", "or", "xor", "min", "max"};
    int mode = lower_index(l, names, WB_COUNT(names));
    bool absolute = lower_has(l, "abs"), nan = lower_has(l, "NaN");
    ptx_type type = lower_type(l);
    if (ptx_type_size(type) != 4 || (type == PTX_F32 && mode < 4) || (absolute && type != PTX_F32))
        lower_unknown(l);
    if (mode >= 4 && type == PTX_F32)
        mode += absolute ? 6 : 4;
    else if (mode >= 4 && type != PTX_S32)
        mode += 2;
    int32_t d = lower_dst(l, lower_op(l, 0), type);
    int32_t a = lower_src(l, lower_op(l, 1), type), f = members(l, 2);
    sg_op *op = lower_put(l, d, a, 0, 0, "redux");
    op->f = f;
    op->flags |= mask_flag(l, 2);
    op->e = nan;
    op->mode = (uint8_t)mode;
}

static void elect(lowering *l) {
    const ptx_operand *dst = lower_op(l, 0);
    if (dst->kind != PTX_OP_PAIR)
        lower_unknown(l);
    int32_t f = members(l, 1), d = -1;
    if (dst->items[0].kind == PTX_OP_REG)
        d = lower_dst(l, &dst->items[0], PTX_B32);
    sg_op *op = lower_emit(l, "elect");
    op->d = d;
    op->e = lower_pred_place(l, dst->items[1].reg);
    op->f = f;
    op->flags |= mask_flag(l, 1);
}

/* Lowers bar.sync and barrier.sync, .arrive, .red.popc/.and/.or, and bar.warp.sync. */
static void barrier(lowering *l) {
    if (lower_has(l, "cluster"))
        lower_unknown(l);
    if (lower_has(l, "warp")) {
        int32_t f = members(l, 0);
        sg_op *op = lower_emit(l, "warp_sync");
        op->f = f;
        op->flags |= SG_F_WARP_SYNC | mask_flag(l, 0);
        return;
    }
    lower_has(l, "cta");
    bool aligned = lower_has(l, "aligned") || ptx_op_is(l->inst, "bar");
    bool red = lower_has(l, "red"), arrive = lower_has(l, "arrive");
    if (!red && !arrive && !lower_has(l, "sync"))
        lower_unknown(l);
    static const char *const kinds[] = {"popc", "and", "or"};
    int mode = red ? 2 + lower_index(l, kinds, WB_COUNT(kinds)) : arrive;
    bool negated = false;
    if (red)
        lower_type(l);
    uint32_t first = red ? 1 : 0, count_at = first + 1, n = l->inst->n_ops;
    uint64_t id = 0, count = 0;
    int32_t id_place = -1, count_place = -1, pred = 0, d = 0;
    if (red) {
        pred = lower_pred(l, lower_op(l, n - 1), &negated);
        n--;
    }
    if (n > first && !lower_imm(l, lower_op(l, first), PTX_U32, &id))
        id_place = lower_src(l, lower_op(l, first), PTX_U32);
    if (n > count_at && !lower_imm(l, lower_op(l, count_at), PTX_U32, &count))
        count_place = lower_src(l, lower_op(l, count_at), PTX_U32);
    if (mode == 2)
        d = lower_dst(l, lower_op(l, 0), PTX_U32);
    else if (red)
        d = lower_pred_place(l, lower_op(l, 0)->reg);
    bool plain = mode == 0 && id_place < 0 && id < 16 && count_place < 0 && !count;
    sg_op *op = lower_put(l, d, id_place, count_place, pred, "bar%s", plain ? "_all" : "");
    op->e = (int32_t)id;
    op->f = (int32_t)count;
    op->mode = (uint8_t)mode;
    op->flags |= negated ? SG_F_NEGATE : 0;
    op->flags |= aligned ? SG_F_ALIGNED : 0;
}

bool lower_warp(lowering *l) {
    static const struct {
        const char *opcode;
        void (*lower)(lowering *);
    } table[] = {{"shfl", shuffle}, {"vote", vote},   {"match", match},    {"redux", reduce},
                 {"elect", elect},  {"bar", barrier}, {"barrier", barrier}};
    for (size_t k = 0; k < WB_COUNT(table); k++)
        if (ptx_op_is(l->inst, table[k].opcode)) {
            table[k].lower(l);
            return true;
        }
    return false;
}
