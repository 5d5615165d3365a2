/* regs.c: registers that share a place. PTX names a new register for nearly every value, so
 * separate places would push a block's registers out of the cache. Some registers are used in one
 * basic block only, where their first write has no guard. Such a place is free after its last use.
 * No lane sees this, because all lanes of a path run a basic block from start to end. */
#include "runtime/softgpu/lower/lower.h"

#define NEVER UINT32_MAX

/* Returns true if the instruction writes operand 0; false if in doubt. */
static bool writes_first(const ptx_inst *inst) {
    static const char others[] =
        "st red bar barrier call cp bra brx prefetch prefetchu nanosleep stmatrix discard wmma "
        "sust membar fence ret exit mbarrier";
    return !inst->guard && !lower_among(inst->opcode, others);
}

/* Returns true if the result is the same for every NaN of single precision. Then only the last
 * instruction of a chain has to produce the GPU's NaN. */
static bool takes_any_nan(const ptx_inst *inst) {
    static const char names[] = "add sub mul fma mad div min max sqrt rsqrt rcp neg abs setp";
    return lower_among(inst->opcode, names) && inst->n_mods &&
           !strcmp(inst->mods[inst->n_mods - 1], "f32");
}

typedef struct scan {
    lowering *l;
    bool any_nan;    /* takes_any_nan() of the current instruction */
    uint32_t *block; /* by register: 1 + its basic block; 0: none yet; NEVER: several */
    uint32_t *part;  /* the same for parts of blocks without a stop */
    uint32_t current, current_part, at;
} scan;

static void note(uint32_t *where, uint32_t current, bool written) {
    if (*where == 0)
        *where = written ? current + 1 : NEVER;
    else if (*where != current + 1)
        *where = NEVER;
}

static void seen(scan *s, const ptx_var *reg, bool written) {
    note(&s->block[reg->index], s->current, written);
    note(&s->part[reg->index], s->current_part, written);
    s->l->last_use[reg->index] = s->block[reg->index] == NEVER ? NEVER : s->at;
    s->l->brief[reg->index] = s->part[reg->index] != NEVER;
}

static void visit(scan *s, const ptx_operand *op, bool written) {
    if (op->reg)
        seen(s, op->reg, written && op->kind == PTX_OP_REG);
    if (op->reg && !written && !s->any_nan)
        s->l->bits[op->reg->index] = true;
    for (uint32_t k = 0; k < op->n_items; k++)
        visit(s, &op->items[k], written);
}

/* Returns true if the instruction may switch to another path. It cannot run under a guard's mask,
 * so lanes without the predicate branch around it. */
bool lower_may_switch(const ptx_inst *inst) {
    return lower_among(
        inst->opcode,
        "call bar barrier shfl vote match redux elect brx mma wmma ret ldmatrix stmatrix mbarrier");
}

bool lower_find_last_uses(lowering *l, const bool *leader) {
    const ptx_function *f = l->source;
    size_t n = (size_t)f->n_regs + 1;
    scan s = {.l = l, .block = calloc(n, sizeof *s.block), .part = calloc(n, sizeof *s.part)};
    l->last_use = malloc(n * sizeof *l->last_use);
    l->brief = calloc(n, sizeof *l->brief);
    l->bits = calloc(n, sizeof *l->bits);
    bool ok = s.block && s.part && l->last_use && l->brief && l->bits;
    for (size_t k = 0; k < WB_COUNT(l->spare); k++)
        ok &= (l->spare[k] = malloc(n * sizeof *l->spare[k])) != NULL;
    for (size_t k = 0; ok && k < n; k++)
        l->last_use[k] = NEVER;
    for (uint32_t k = 0; ok && k < f->n_insts; k++) {
        const ptx_inst *inst = &f->insts[k];
        s.current += leader[k];
        s.current_part += leader[k] || lower_may_switch(inst);
        s.at = k;
        s.any_nan = takes_any_nan(inst);
        if (inst->guard)
            seen(&s, inst->guard, false);
        for (uint32_t o = 1; o < inst->n_ops; o++) /* sources first: `add r, r, 1` reads r */
            visit(&s, &inst->ops[o], false);
        if (inst->n_ops)
            visit(&s, &inst->ops[0], writes_first(inst));
    }
    for (size_t k = 0; ok && l->options & SG_KEEPS && k < n; k++) {
        l->last_use[k] = NEVER;
        l->brief[k] = false;
        l->bits[k] = true;
    }
    WB_FREE(s.block, s.part);
    return ok;
}

static void release(lowering *l, const ptx_operand *op) {
    if (op->reg && op->reg->type != PTX_PRED && l->last_use[op->reg->index] == l->index) {
        uint32_t at = op->reg->index, list = lower_spare_list(l, op->reg);
        if (l->reg_place[at] >= 0)
            l->spare[list][l->n_spare[list]++] = l->reg_place[at];
        l->last_use[at] = NEVER; /* named twice by the instruction, freed once */
    }
    for (uint32_t k = 0; k < op->n_items; k++)
        release(l, &op->items[k]);
}

void lower_release(lowering *l) {
    for (uint32_t o = 0; o < l->inst->n_ops; o++)
        release(l, &l->inst->ops[o]);
}
