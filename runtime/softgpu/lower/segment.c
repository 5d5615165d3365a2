/* segment.c: what a GPU makes of the PTX instructions up to the next branch or barrier: their
 * pipes, the number of instructions (cost.c; merge.c for neighbours in shared memory), and their
 * dependences. A product and the 64-bit sum that follows it are one instruction. */
#include "runtime/softgpu/lower/cost.h"
#include "runtime/softgpu/lower/merge.h"

/* ---- registers ------------------------------------------------------------------------------- */

typedef struct list {
    uint32_t *at, n;
} list;

static void push(lowering *l, list *to, const ptx_var *reg) {
    if (!reg)
        return;
    uint32_t *one = WB_PUSH(to->at, to->n);
    if (!one) {
        free(to->at);
        lower_refuse(l, _("there is no memory left to translate the kernel"));
    }
    *one = reg->index;
}

static void push_operand(lowering *l, list *to, const ptx_operand *op) {
    push(l, to, op->reg);
    for (uint32_t k = 0; k < op->n_items; k++)
        push_operand(l, to, &op->items[k]);
}

/* Returns true if the instruction writes its first operand. */
static bool writes_first(const ptx_inst *inst) {
    static const char others[] =
        "st sust red bra bar barrier cp ret exit brx call fence membar prefetch stmatrix nanosleep";
    return inst->n_ops && !lower_among(inst->opcode, others) &&
           !(ptx_op_is(inst, "wmma") && inst->n_mods && !strcmp(inst->mods[0], "store"));
}

/* Lists the registers of an instruction and of those merged into it. Lists none if it is merged
 * into another. */
static void registers(lowering *l, uint32_t index, uint32_t first, uint32_t end,
                      const lower_joined *joined, sg_step *step, list *to) {
    uint32_t from = index, until = index + 1;
    if (joined[index - first].wide) {
        from = joined[index - first].with == index ? first : end;
        until = end;
    }
    step->first = to->n;
    for (int written = 1; written >= 0; written--) {
        for (uint32_t k = from; k < until; k++) {
            const ptx_inst *inst = &l->source->insts[k];
            bool has_result = writes_first(inst);
            if (joined[k - first].with != index)
                continue;
            for (uint32_t o = written ? 0 : has_result; o < (written ? has_result : inst->n_ops);
                 o++)
                push_operand(l, to, &inst->ops[o]);
            if (!written)
                push(l, to, inst->guard);
        }
        if (written)
            step->n_written = (uint8_t)(to->n - step->first);
    }
    step->n_read = (uint8_t)(to->n - step->first - step->n_written);
}

/* Returns true for a 64-bit sum that is part of another instruction: behind the wide product that
 * it adds to, or of an address and a constant. */
static bool folded(const lowering *l, uint32_t index, uint32_t first) {
    const ptx_inst *inst = &l->source->insts[index];
    if (!ptx_op_is(inst, "add") || ptx_type_size(lower_operand_type(inst)) != 8 ||
        lower_is_float(lower_operand_type(inst)))
        return false;
    for (uint32_t k = first; k < index; k++) {
        const ptx_inst *before = &l->source->insts[k];
        if (!ptx_op_is(before, "mul") || !ptx_modified(before, "wide") || !before->n_ops ||
            before->ops[0].kind != PTX_OP_REG)
            continue;
        for (uint32_t o = 1; o < inst->n_ops; o++)
            if (inst->ops[o].kind == PTX_OP_REG && inst->ops[o].reg == before->ops[0].reg)
                return true;
    }
    return inst->n_ops == 3 && inst->ops[2].kind == PTX_OP_IMM;
}

static const ptx_inst *writer_of(const ptx_function *f, const ptx_var *reg, uint32_t first,
                                 uint32_t end) {
    for (uint32_t k = end; k-- > first;)
        if (writes_first(&f->insts[k]) && f->insts[k].ops[0].reg == reg)
            return &f->insts[k];
    return NULL;
}

/* Returns true if the value in the loop's condition changes by a constant step. With the grid's
 * size as step, ptxas does not know the number of turns and leaves the loop as it is. */
static bool counts_turns(const ptx_function *f, uint32_t first, uint32_t end) {
    const ptx_inst *test = writer_of(f, f->insts[end - 1].guard, first, end);
    bool counts = false;
    for (uint32_t k = 1; test && ptx_op_is(test, "setp") && k < test->n_ops; k++) {
        const ptx_var *reg = test->ops[k].reg;
        const ptx_inst *step = reg ? writer_of(f, reg, first, end) : NULL;
        counts |= step && (ptx_op_is(step, "add") || ptx_op_is(step, "sub")) && step->n_ops == 3 &&
                  step->ops[1].reg == reg && step->ops[2].kind == PTX_OP_IMM;
    }
    return counts;
}

/* Returns true for a loop without branches whose turns ptxas can count and join. */
static bool may_unroll(const ptx_function *f, uint32_t first, uint32_t end) {
    const ptx_inst *last = &f->insts[end - 1];
    return ptx_op_is(last, "bra") && last->n_ops && last->ops[0].target == first &&
           !f->insts[first].nounroll && counts_turns(f, first, end);
}

static uint32_t loads_in(const ptx_function *f, uint32_t first, uint32_t end) {
    uint32_t loads = 0;
    for (uint32_t k = first; k < end; k++)
        loads += ptx_op_is(&f->insts[k], "ld") && !ptx_modified(&f->insts[k], "param");
    return loads;
}

/* ptxas unrolls a short loop until about this many loads are in flight. */
#define LOADS_AT_ONCE 16
#define LONGEST_UNROLLED 48 /* instructions */

static uint32_t unrolled(const ptx_function *f, uint32_t first, uint32_t end) {
    uint32_t loads = loads_in(f, first, end);
    if (!loads || end - first > LONGEST_UNROLLED || !may_unroll(f, first, end))
        return 1;
    return loads < LOADS_AT_ONCE / 4 ? 4 : (LOADS_AT_ONCE + loads - 1) / loads;
}

/* ptxas 13.0 joins four turns of at most this many instructions, and counts and tests once for them
 * (read from its machine code for compute capability 7.5 to 9.0). */
#define TURNS_AT_ONCE 4
#define MOST_WITHOUT_LOADS 21
#define MOST_WITH_LOADS 35

static bool turns_are_one(const ptx_function *f, uint32_t first, uint32_t end) {
    uint32_t slots = 0;
    if (!may_unroll(f, first, end))
        return false;
    for (uint32_t k = first; k < end; k++)
        slots += lower_cost_of(&f->insts[k]).slots;
    return slots <= (loads_in(f, first, end) ? MOST_WITH_LOADS : MOST_WITHOUT_LOADS);
}

/* Returns true for the branch of such a loop, its test, and sums by constant steps, which run once
 * for all joined turns. */
static bool is_once(const ptx_function *f, uint32_t index, uint32_t first, uint32_t end) {
    const ptx_inst *inst = &f->insts[index], *last = &f->insts[end - 1];
    bool steps = (ptx_op_is(inst, "add") || ptx_op_is(inst, "sub")) && inst->n_ops == 3 &&
                 inst->ops[2].kind == PTX_OP_IMM && inst->ops[0].reg == inst->ops[1].reg &&
                 !lower_is_float(lower_operand_type(inst));
    return inst == last || steps || inst == writer_of(f, last->guard, first, end);
}

/* ptxas predicates the code behind a branch over at most this many PTX instructions. The code
 * before, in and behind it is then one piece, whose loads begin early. */
#define SHORT_WAY 12

static bool is_short_way(const ptx_function *f, uint32_t index) {
    /* an integer quotient is dozens of instructions, a 64-bit one a function call */
    static const char quotients[] = "div rem";
    const ptx_inst *inst = &f->insts[index];
    if (!ptx_op_is(inst, "bra") || !inst->n_ops || inst->ops[0].target <= index ||
        inst->ops[0].target - index > SHORT_WAY)
        return false;
    for (uint32_t k = index + 1; k < inst->ops[0].target; k++)
        if (lower_among(f->insts[k].opcode, "bar barrier call brx ret exit") ||
            (lower_among(f->insts[k].opcode, quotients) &&
             !lower_is_float(lower_operand_type(&f->insts[k]))) ||
            (ptx_op_is(&f->insts[k], "bra") && f->insts[k].ops[0].target <= k))
            return false;
    return true;
}

/* Returns true if only such branches, or the instruction before, lead to it. */
static bool goes_on(const ptx_function *f, uint32_t index) {
    uint32_t first = index > SHORT_WAY ? index - SHORT_WAY : 0;
    if (index && is_short_way(f, index - 1))
        return true;
    for (uint32_t k = first; k < index; k++)
        if (is_short_way(f, k) && f->insts[k].ops[0].target == index)
            return true;
    return false;
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Returns true for an atomicAdd(&word, 1) in shared memory whose result is unused. ptxas makes it
 * ATOMS.POPC.INC, which counts the lanes for a word and writes it once. */
static bool adds_ones(const ptx_function *f, const ptx_inst *inst) {
    bool adds = (ptx_op_is(inst, "atom") || ptx_op_is(inst, "red")) &&
                ptx_modified(inst, "shared") && ptx_modified(inst, "add");
    if (!adds || !(ptx_modified(inst, "u32") || ptx_modified(inst, "s32")) || !inst->n_ops)
        return false;
    const ptx_operand *by = &inst->ops[inst->n_ops - 1], *result = &inst->ops[0];
    return by->kind == PTX_OP_IMM && by->imm == 1 &&
           (ptx_op_is(inst, "red") || !result->reg || !lower_is_read(f, inst, result->reg));
}

/* ---- stores that leave L1 together ---------------------------------------------------------- */

static bool stores_to_memory(const ptx_inst *inst) {
    return ptx_op_is(inst, "st") && !lower_modified(inst, "shared local param release");
}

/* Returns true if a warp waits at the instruction. Loads that a store cannot affect move before
 * it. */
static bool waits_between(const ptx_inst *inst) {
    return lower_among(inst->opcode, "atom red fence membar call cp bar barrier nanosleep") ||
           (ptx_op_is(inst, "ld") && !lower_modified(inst, "shared local param const nc"));
}

static bool loads_from_memory(const ptx_inst *inst) {
    return ptx_op_is(inst, "ld") && !lower_modified(inst, "shared local param const");
}

static void join_stores(const ptx_inst *insts, sg_step *steps, uint32_t n) {
    sg_step *last = NULL;
    bool loads = false;
    for (uint32_t k = 0; k < n; k++) {
        bool stores = stores_to_memory(&insts[k]);
        loads |= loads_from_memory(&insts[k]);
        steps[k].joins |= stores && loads ? SG_JOINS_SPREAD : 0;
        if (stores && last) {
            last->joins |= SG_JOINS_NEXT;
            steps[k].joins |= SG_JOINS_LAST;
        }
        last = stores ? &steps[k] : waits_between(&insts[k]) ? NULL : last;
    }
}

/* ---- a segment ------------------------------------------------------------------------------- */

static bool ends_segment(const ptx_inst *inst) {
    return ptx_op_is(inst, "bar") || ptx_op_is(inst, "barrier");
}

/* Returns true for hardware copies and barriers in shared memory. */
static bool is_asynchronous(const ptx_inst *inst) {
    bool copies =
        ptx_op_is(inst, "cp") && (ptx_modified(inst, "bulk") || ptx_modified(inst, "mbarrier"));
    return ptx_op_is(inst, "mbarrier") ||
           (copies && !ptx_modified(inst, "commit_group") && !ptx_modified(inst, "wait_group"));
}

/* Returns true if a segment begins here. Asynchronous instructions and accesses in turn begin one,
 * so that the warp's clock is known there. */
static bool begins(const lowering *l, uint32_t index, const bool *leader) {
    const ptx_inst *inst = &l->source->insts[index];
    if (leader[index] || (index && ends_segment(inst - 1)) || is_asynchronous(inst))
        return true;
    return l->code->in_turn && (lower_takes_turn(inst) || (index && lower_fences(inst - 1)));
}

bool lower_segment_begins(const lowering *l, const bool *leader) {
    return begins(l, l->index, leader);
}

/* share: the part of the segment's executions */
static void fill(sg_step *step, sg_segment *s, const lower_cost *c, float share) {
    step->kind = (uint8_t)c->kind;
    step->latency = (uint8_t)c->latency;
    step->more = (uint8_t)c->more;
    step->of = (uint8_t)c->of;
    step->slots = share * (float)c->slots;
    s->slots += step->slots;
    for (int k = 0; k < SG_PIPES; k++) {
        step->pipes[k] = share * c->pipes[k];
        s->pipes[k] += step->pipes[k];
    }
}

void lower_segment(lowering *l, const bool *leader) {
    static const lower_cost nothing;
    const ptx_function *f = l->source;
    uint32_t first = l->index, end = first + 1;
    while (end < f->n_insts && !begins(l, end, leader))
        end++;
    sg_segment *s = lower_own(l, sizeof *s);
    sg_step *steps = lower_own(l, (end - first) * sizeof *steps);
    lower_joined *joined = lower_own(l, (end - first) * sizeof *joined);
    list all = {0};
    lower_merge(l, first, end, joined);
    bool one = turns_are_one(f, first, end);
    for (uint32_t k = first; k < end; k++) {
        const ptx_inst *inst = &f->insts[k];
        const lower_joined *j = &joined[k - first];
        sg_step *step = &steps[k - first];
        lower_cost c = j->with != k || folded(l, k, first) ? nothing : lower_cost_of(inst);
        registers(l, k, first, end, joined, step, &all);
        fill(step, s, &c, one && is_once(f, k, first, end) ? 1.0f / TURNS_AT_ONCE : 1);
        step->wide = j->with == k ? j->wide : SG_STEP_JOINED;
        step->from = j->from;
        step->adds_ones = adds_ones(f, inst);
        step->pending = c.kind == SG_STEP_WAIT && inst->n_ops && inst->ops[0].kind == PTX_OP_IMM
                            ? (uint8_t)inst->ops[0].imm
                            : 0;
        step->place = lower_line(l, inst, &l->code->places, &l->code->n_places);
    }
    join_stores(&f->insts[first], steps, end - first);
    uint32_t *kept = lower_own(l, (all.n + 1) * sizeof *kept);
    if (all.n)
        memcpy(kept, all.at, all.n * sizeof *kept);
    free(all.at);
    s->unrolled = unrolled(f, first, end);
    s->goes_on = goes_on(f, first);
    s->run = sg_trace_segment;
    s->first = first;
    s->n_steps = end - first;
    s->steps = steps;
    s->registers = kept;
    lower_emit(l, "builtin")->aux = s;
}
