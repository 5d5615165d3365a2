/* lower_affine.c: addresses as base + step * lane. What a kernel's addresses are made of is mostly
 * the same in all lanes (parameters, the block's place, loop counters) or rises by the same amount
 * from lane to lane (the thread's place). A 64-bit register that only such instructions write gets
 * a record for base and step (sg_affine): sums and products of records take a few scalar
 * instructions where those of lanes take vectors, and an access knows from the record how its
 * addresses lie. Whether a value has that form is found when it is computed; where it has not, or
 * the warp has diverged, the lanes themselves hold it, as in any other register.
 *
 * Everything else sees the register as ever: lower_src emits an op that fills the lanes first.
 *
 * Chosen are registers that an address depends on and that nothing but the forms below writes, all
 * of whose 64-bit sources are chosen as well. Only in kernels: in a function, lanes that diverged
 * may run on different frames of the same memory. Launches that count or check keep to lanes. */
#include <stdlib.h>
#include <string.h>

#include "runtime/softgpu/lower.h"

enum { MAX_SOURCES = 3 };

typedef struct form {    /* how an instruction's result follows from its sources */
    const char *handler; /* NULL: not one of the forms; with an immediate last source: + "_i" */
    uint32_t n;          /* sources: operands 1..n */
    bool narrow;         /* the first one has 32 bits */
    bool shifts;         /* the immediate is a shift count */
} form;

static bool is(const ptx_inst *inst, const char *opcode) {
    return !strcmp(inst->opcode, opcode);
}

/* Do the modifiers read a.b.c? */
static bool mods(const ptx_inst *inst, const char *a, const char *b, const char *c) {
    const char *const want[] = {a, b, c};
    for (uint32_t k = 0; k < 3; k++) {
        const char *have = k < inst->n_mods ? inst->mods[k] : NULL;
        if (!want[k] != !have || (have && strcmp(want[k], have)))
            return false;
    }
    return inst->n_mods <= 3;
}

static bool plain64(const ptx_inst *inst) {
    return mods(inst, "s64", NULL, NULL) || mods(inst, "u64", NULL, NULL) ||
           mods(inst, "b64", NULL, NULL);
}

/* Eight bytes of the kernel's parameters, at a fixed place? */
static bool kernel_parameter(const ptx_function *f, const ptx_operand *op, uint64_t *at) {
    if (op->kind != PTX_OP_ADDR || !op->var || op->reg || op->var < f->params ||
        op->var >= f->params + f->n_params)
        return false;
    *at = f->param_offsets[op->var - f->params] + (uint64_t)op->imm;
    return *at <= f->param_bytes && f->param_bytes - *at >= 8;
}

static form opcode_form(const ptx_inst *inst) {
    if (is(inst, "mov") && plain64(inst))
        return (form){.handler = "mov", .n = 1};
    if (is(inst, "cvta") &&
        (mods(inst, "to", "global", "u64") || mods(inst, "global", "u64", NULL)))
        return (form){.handler = "mov", .n = 1};
    if (is(inst, "add") && plain64(inst))
        return (form){.handler = "add", .n = 2};
    if (is(inst, "sub") && plain64(inst))
        return (form){.handler = "sub", .n = 2};
    if (is(inst, "mul") && (mods(inst, "lo", "s64", NULL) || mods(inst, "lo", "u64", NULL)))
        return (form){.handler = "mul", .n = 2};
    if (is(inst, "mad") && (mods(inst, "lo", "s64", NULL) || mods(inst, "lo", "u64", NULL)))
        return (form){.handler = "mad", .n = 3};
    if (is(inst, "shl") && mods(inst, "b64", NULL, NULL))
        return (form){.handler = "mul", .n = 2, .shifts = true};
    if (is(inst, "mul") && mods(inst, "wide", "s32", NULL))
        return (form){.handler = "wide_s32", .n = 2, .narrow = true};
    if (is(inst, "mul") && mods(inst, "wide", "u32", NULL))
        return (form){.handler = "wide_u32", .n = 2, .narrow = true};
    if (is(inst, "cvt") && (mods(inst, "s64", "s32", NULL) || mods(inst, "u64", "s32", NULL)))
        return (form){.handler = "wide_s32", .n = 1, .narrow = true};
    if (is(inst, "cvt") && (mods(inst, "s64", "u32", NULL) || mods(inst, "u64", "u32", NULL)))
        return (form){.handler = "wide_u32", .n = 1, .narrow = true};
    return (form){.handler = NULL};
}

static bool is_reg(const ptx_operand *op, unsigned bytes) {
    return op->kind == PTX_OP_REG && !op->component && op->reg->type != PTX_PRED &&
           ptx_type_size(op->reg->type) == bytes;
}

static form form_of(const lowering *l, const ptx_inst *inst) {
    static const form none = {.handler = NULL};
    uint64_t at;
    if (inst->n_ops < 2 || !is_reg(&inst->ops[0], 8))
        return none;
    if (is(inst, "ld") && inst->n_mods == 2 && !strcmp(inst->mods[0], "param") &&
        ptx_type_size(lower_type_of(inst->mods[1])) == 8 && inst->n_ops == 2 &&
        kernel_parameter(l->source, &inst->ops[1], &at))
        return (form){.handler = "param"};
    form f = opcode_form(inst);
    if (!f.handler || inst->n_ops != f.n + 1)
        return none;
    for (uint32_t k = 1; k <= f.n; k++) {
        const ptx_operand *op = &inst->ops[k];
        bool immediate = op->kind == PTX_OP_IMM && !op->is_float;
        if (!(f.narrow && k == 1 ? is_reg(op, 4) : immediate || is_reg(op, 8)))
            return none;
        if (immediate && k < f.n) /* constant expressions of the compiler: not worth a handler */
            return none;
        if (!immediate && k == f.n && k > 1 && (f.narrow || f.shifts))
            return none;
        if (f.shifts && k == 2 && (uint64_t)op->imm > 63)
            return none;
    }
    return f;
}

/* Registers that a result goes to, or may: whatever stands first, but in an address; everything a
 * call names. */
static void strike(const ptx_operand *op, bool *chosen) {
    if (op->kind == PTX_OP_REG)
        chosen[op->reg->index] = false;
    for (uint32_t k = 0; op->kind != PTX_OP_ADDR && k < op->n_items; k++)
        strike(&op->items[k], chosen);
}

/* Is inst of a form, and its result chosen? */
static bool chosen_form(const lowering *l, const ptx_inst *inst, const bool *chosen, form *f) {
    *f = form_of(l, inst);
    return f->handler && chosen[inst->ops[0].reg->index];
}

/* Strikes what has a source that is not chosen, until nothing changes. */
static void settle(const lowering *l, bool *chosen) {
    const ptx_function *s = l->source;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < s->n_insts; k++) {
            const ptx_inst *inst = &s->insts[k];
            form f;
            if (!chosen_form(l, inst, chosen, &f))
                continue;
            for (uint32_t o = f.narrow ? 2 : 1; o <= f.n; o++)
                if (inst->ops[o].kind == PTX_OP_REG && !chosen[inst->ops[o].reg->index])
                    chosen[inst->ops[0].reg->index] = false, again = true;
        }
    }
}

static bool is_access(const ptx_inst *inst) {
    bool global = false;
    for (uint32_t k = 0; k < inst->n_mods; k++)
        global |= !strcmp(inst->mods[k], "global");
    return global && (is(inst, "ld") || is(inst, "st"));
}

/* Of those chosen, marks what addresses of global memory depend on. */
static void find_wanted(const lowering *l, const bool *chosen, bool *wanted) {
    const ptx_function *s = l->source;
    for (uint32_t k = 0; k < s->n_insts; k++) {
        const ptx_inst *inst = &s->insts[k];
        for (uint32_t o = 0; is_access(inst) && o < inst->n_ops; o++)
            if (inst->ops[o].kind == PTX_OP_ADDR && inst->ops[o].reg)
                wanted[inst->ops[o].reg->index] = chosen[inst->ops[o].reg->index];
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = s->n_insts; k-- > 0;) {
            const ptx_inst *inst = &s->insts[k];
            form f;
            if (!chosen_form(l, inst, wanted, &f))
                continue;
            for (uint32_t o = f.narrow ? 2 : 1; o <= f.n; o++)
                if (inst->ops[o].kind == PTX_OP_REG && !wanted[inst->ops[o].reg->index])
                    wanted[inst->ops[o].reg->index] = again = true;
        }
    }
}

bool lower_find_affine(lowering *l) {
    const ptx_function *s = l->source;
    bool *chosen = calloc((size_t)s->n_regs + 1, sizeof *chosen);
    l->affine = calloc((size_t)s->n_regs + 1, sizeof *l->affine);
    if (!chosen || !l->affine || !s->is_entry || l->count) {
        free(chosen);
        return chosen && l->affine;
    }
    for (uint32_t k = 0; k < s->n_insts; k++)
        if (form_of(l, &s->insts[k]).handler)
            chosen[s->insts[k].ops[0].reg->index] = true;
    for (uint32_t k = 0; k < s->n_insts; k++) {
        const ptx_inst *inst = &s->insts[k];
        for (uint32_t o = 0; o < (is(inst, "call") ? inst->n_ops : inst->n_ops > 0); o++)
            if (!form_of(l, inst).handler)
                strike(&inst->ops[o], chosen);
    }
    settle(l, chosen);
    find_wanted(l, chosen, l->affine);
    free(chosen);
    return true;
}

bool lower_affine(lowering *l) {
    const ptx_inst *inst = l->inst;
    form f;
    if (!chosen_form(l, inst, l->affine, &f))
        return false;
    int32_t places[MAX_SOURCES] = {0};
    uint64_t imm = f.narrow; /* of cvt: times 1 */
    bool immediate = f.narrow;
    if (!strcmp(f.handler, "param"))
        kernel_parameter(l->source, &inst->ops[1], &imm);
    for (uint32_t k = 0; k < f.n; k++) {
        const ptx_operand *op = &inst->ops[k + 1];
        if (op->kind == PTX_OP_IMM) {
            imm = f.shifts ? 1ull << op->imm : (uint64_t)op->imm;
            immediate = true;
        } else {
            places[k] = f.narrow ? lower_src(l, op, PTX_U32) : lower_affine_place(l, op->reg);
        }
    }
    sg_op *op = lower_emitf(l, "affine_%s%s", f.handler, immediate && !f.narrow ? "_i" : "");
    op->d = lower_affine_place(l, inst->ops[0].reg);
    op->a = places[0];
    op->b = places[1];
    op->c = places[2];
    op->imm = imm;
    return true;
}
