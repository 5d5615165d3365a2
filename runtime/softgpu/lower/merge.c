/* merge.c: accesses to shared memory that ptxas merges: neighbouring words at offsets from one
 * register, 8 or 16 bytes together. ptxas must know that they are aligned. It tracks the zero low
 * bits of each address from variables (at multiples of 16) through sums, products and shifts. This
 * file does the same. */
#include "runtime/softgpu/lower/merge.h"

#define ANY 63 /* zero low bits of zero itself */
#define WIDEST 16
#define REACH 256 /* most instructions that an access moves over */

static uint8_t least(uint8_t a, uint8_t b) {
    return a < b ? a : b;
}

static uint8_t of_number(int64_t number) {
    return number ? (uint8_t)__builtin_ctzll((uint64_t)number) : ANY;
}

/* ---- low bits that are zero ------------------------------------------------------------------ */

static uint8_t of_operand(const ptx_operand *op, const uint8_t *zeros) {
    switch (op->kind) {
    case PTX_OP_REG:
        return zeros[op->reg->index];
    case PTX_OP_IMM:
        return of_number(op->imm);
    case PTX_OP_SYMBOL:
        return op->var && op->var->space == PTX_SPACE_SHARED ? least(4, of_number(op->imm)) : 0;
    default:
        return 0;
    }
}

static uint8_t of_sum(uint8_t a, uint8_t b) {
    return a + b < ANY ? (uint8_t)(a + b) : ANY;
}

/* Returns the zero low bits of an instruction's result. */
static uint8_t of_result(const ptx_inst *inst, const uint8_t *zeros) {
    uint8_t v[3] = {0};
    for (uint32_t k = 0; k < 3 && k + 1 < inst->n_ops; k++)
        v[k] = of_operand(&inst->ops[k + 1], zeros);
    if (lower_among(inst->opcode, "mov cvta cvt") && inst->n_ops == 2)
        return v[0];
    if (inst->n_ops < 3)
        return 0;
    if (lower_among(inst->opcode, "add sub or xor selp min max"))
        return least(v[0], v[1]);
    if (ptx_op_is(inst, "and"))
        return v[0] > v[1] ? v[0] : v[1];
    if (ptx_op_is(inst, "mul") && !ptx_modified(inst, "hi"))
        return of_sum(v[0], v[1]);
    if (ptx_op_is(inst, "mad") && !ptx_modified(inst, "hi"))
        return least(of_sum(v[0], v[1]), v[2]);
    if (ptx_op_is(inst, "shl") && inst->ops[2].kind == PTX_OP_IMM)
        return of_sum(v[0], (uint8_t)(inst->ops[2].imm & ANY));
    return 0;
}

static bool lower_zeros(const ptx_inst *inst, uint8_t *zeros) {
    const ptx_operand *to = inst->n_ops ? &inst->ops[0] : NULL;
    bool news = false;
    if (to && to->kind == PTX_OP_REG) {
        uint8_t now = least(zeros[to->reg->index], of_result(inst, zeros));
        news = now != zeros[to->reg->index];
        zeros[to->reg->index] = now;
    }
    for (uint32_t k = 0; to && k < to->n_items; k++)
        if (to->items[k].reg)
            zeros[to->items[k].reg->index] = 0;
    return news;
}

/* Returns, by register, the zero low bits that all its writers leave. A store's first operand is
 * not a register, so it needs no exception. */
static const uint8_t *zeros_of(lowering *l) {
    const ptx_function *f = l->source;
    if (l->zeros)
        return l->zeros;
    l->zeros = lower_own(l, f->n_regs + 1);
    memset(l->zeros, ANY, f->n_regs + 1);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = 0; k < f->n_insts; k++)
            news |= lower_zeros(&f->insts[k], l->zeros);
    }
    return l->zeros;
}

/* ---- merging --------------------------------------------------------------------------------- */

typedef struct access {
    bool load, store;    /* of shared memory */
    const ptx_var *base; /* its register, or NULL */
    int64_t at;
    uint32_t bytes;
} access;

typedef struct group { /* the instructions that are looked at */
    uint32_t first, end;
    const access *accesses;
    lower_joined *joined;
} group;

static access access_of(const ptx_inst *inst) {
    access a = {0};
    bool load = ptx_op_is(inst, "ld"), store = ptx_op_is(inst, "st");
    if ((!load && !store) || inst->n_ops != 2 || inst->guard || !ptx_modified(inst, "shared"))
        return a;
    const ptx_operand *addr = &inst->ops[load], *value = &inst->ops[!load];
    uint32_t n = value->kind == PTX_OP_VECTOR ? value->n_items : 1;
    if (lower_modified(inst, "volatile relaxed acquire release"))
        return a;
    a.bytes = n * ptx_type_size(lower_operand_type(inst));
    if (addr->kind != PTX_OP_ADDR || !addr->reg || a.bytes < 4 || a.bytes >= WIDEST)
        return a;
    a.load = load;
    a.store = store;
    a.base = addr->reg;
    a.at = addr->imm;
    return a;
}

static bool writes(const ptx_inst *inst, const ptx_var *reg) {
    if (!inst->n_ops || ptx_op_is(inst, "st") || ptx_op_is(inst, "sust"))
        return false;
    const ptx_operand *to = &inst->ops[0];
    bool any = to->kind == PTX_OP_REG && to->reg == reg;
    for (uint32_t k = 0; k < to->n_items; k++)
        any |= to->items[k].reg == reg;
    return any;
}

/* Returns true if `a` cannot move over the instruction, which does `b`. */
static bool in_the_way(const ptx_inst *inst, const access *b, const access *a) {
    bool touches = ptx_op_is(inst, "st") || (a->store && ptx_op_is(inst, "ld"));
    return writes(inst, a->base) ||
           lower_among(inst->opcode, "atom red call fence membar cp ldmatrix stmatrix wmma") ||
           (touches && !ptx_modified(inst, "global") && !ptx_modified(inst, "param") &&
            !(a->store && b->store && b->base == a->base));
}

/* Returns the bytes covered by the accesses in the `wide` aligned bytes around `from`. With `join`,
 * merges them into one: into the first load, or into the last store. */
static uint32_t gather(const lowering *l, const group *g, uint32_t from, uint32_t wide, bool join) {
    const access *all = g->accesses, *a = &all[from - g->first];
    const ptx_inst *insts = l->source->insts;
    int64_t block = a->at & ~(int64_t)(wide - 1);
    uint32_t covered = 0, last = from, members[WIDEST], n = 0;
    for (uint32_t k = from; k < g->end && k - from < REACH; k++) {
        const access *b = &all[k - g->first];
        if (k > from && in_the_way(&insts[k], b, a))
            break;
        if (g->joined[k - g->first].wide || b->load != a->load || b->base != a->base ||
            b->at < block || b->at + b->bytes > block + wide)
            continue;
        uint32_t bytes = ((1u << b->bytes) - 1) << (b->at - block);
        if (covered & bytes)
            continue;
        covered |= bytes;
        members[n++] = last = k;
    }
    uint32_t with = a->load ? from : last;
    for (uint32_t k = 0; join && k < n; k++)
        g->joined[members[k] - g->first] =
            (lower_joined){with, (uint8_t)wide, (uint8_t)(all[with - g->first].at - block)};
    return covered;
}

void lower_merge(lowering *l, uint32_t first, uint32_t end, lower_joined *joined) {
    const ptx_inst *insts = l->source->insts;
    access *all = lower_need(l, calloc(end - first, sizeof *all));
    group g = {first, end, all, joined};
    for (uint32_t k = first; k < end; k++) {
        all[k - first] = access_of(&insts[k]);
        joined[k - first] = (lower_joined){.with = k};
    }
    for (uint32_t k = first; k < end; k++) {
        const access *a = &all[k - first];
        if (joined[k - first].wide || !a->base)
            continue;
        uint8_t zeros = zeros_of(l)[a->base->index];
        for (uint32_t wide = WIDEST; wide > a->bytes; wide /= 2)
            if (zeros >= __builtin_ctz(wide) && gather(l, &g, k, wide, false) == (1u << wide) - 1) {
                gather(l, &g, k, wide, true);
                break;
            }
    }
    free(all);
}
