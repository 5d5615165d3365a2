/* segment.c: what a GPU would make of the PTX instructions up to the next branch or barrier: which
 * pipes they need, how many instructions each becomes, which registers tie them together. By the
 * throughput table of the CUDA programming guide and what ptxas does for compute capability 9.0:
 * parameters and addresses of variables are operands, a product and the sum that follows it are
 * one instruction, division is a routine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/trace.h"

static bool is(const ptx_inst *inst, const char *opcode) {
    return !strcmp(inst->opcode, opcode);
}

static bool has(const ptx_inst *inst, const char *mod) {
    return ptx_modified(inst, mod);
}

/* The last modifier that is a type: an instruction's operands have that one. */
static ptx_type type_of(const ptx_inst *inst) {
    ptx_type type = PTX_NONE;
    for (uint32_t k = 0; k < inst->n_mods; k++)
        if (lower_type_of(inst->mods[k]) != PTX_NONE)
            type = lower_type_of(inst->mods[k]);
    return type;
}

typedef struct cost {
    enum sg_pipe pipe;
    enum sg_latency latency;
    enum sg_step_kind kind;
    uint32_t slots;
    float work; /* of the pipe, if not `slots` */
} cost;

static const cost nothing = {SG_PIPE_ALU, SG_LATENCY_NONE, SG_STEP_PLAIN, 0, 0};

static cost simple(enum sg_pipe pipe, enum sg_latency latency, uint32_t slots) {
    return (cost){pipe, latency, SG_STEP_PLAIN, slots, (float)slots};
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static cost integer_product(const ptx_inst *inst, ptx_type type) {
    bool wide = has(inst, "wide");
    uint32_t words = ptx_type_size(type) > 4 ? 2 : 1;
    if (has(inst, "hi") && words == 1)
        return simple(SG_PIPE_IMAD, SG_LATENCY_ALU, 2);
    return simple(SG_PIPE_IMAD, SG_LATENCY_ALU, wide ? 1 : words == 2 ? 4 : 1);
}

/* Quotients and rounded roots: ptxas' routines, by their lengths. */
static cost division(const ptx_inst *inst, ptx_type type) {
    bool root = is(inst, "sqrt"), exact = has(inst, "rn") || has(inst, "rz") || has(inst, "full");
    if (type == PTX_F64)
        return simple(SG_PIPE_FP64, SG_LATENCY_FP64, root ? 12 : 10);
    if (type == PTX_F32 && !exact)
        return simple(SG_PIPE_SPECIAL, SG_LATENCY_SPECIAL, root ? 1 : 2);
    if (type == PTX_F32)
        return simple(SG_PIPE_FMA, SG_LATENCY_SPECIAL, has(inst, "full") ? 4 : 9);
    /* By estimates in floats: 45 slots for a quotient and a remainder of 32 bits on an H200. */
    return simple(SG_PIPE_FMA, SG_LATENCY_SPECIAL, ptx_type_size(type) > 4 ? 70 : 24);
}

static cost conversion(const ptx_inst *inst) {
    ptx_type to = PTX_NONE, from = PTX_NONE;
    for (uint32_t k = 0; k < inst->n_mods; k++) {
        ptx_type t = lower_type_of(inst->mods[k]);
        if (t != PTX_NONE) {
            to = from == PTX_NONE ? t : to;
            from = t;
        }
    }
    if (!lower_is_float(to) && !lower_is_float(from))
        return ptx_type_size(to) > 4 && !lower_is_signed(from)
                   ? nothing
                   : simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1);
    if (ptx_type_size(to) > 4 || ptx_type_size(from) > 4)
        return simple(SG_PIPE_SPECIAL, SG_LATENCY_SPECIAL, 1);
    return (cost){SG_PIPE_SPECIAL, SG_LATENCY_SPECIAL, SG_STEP_PLAIN, 1, 0.25f};
}

static bool among(const ptx_inst *inst, const char *const *names) {
    return lower_among(inst->opcode, names);
}

static cost arithmetic(const ptx_inst *inst) {
    static const char *const products[] = {"mul", "mad", "fma", "mul24", "mad24", NULL};
    static const char *const special[] = {"rcp",  "rsqrt", "sin", "cos",  "ex2",   "lg2",
                                          "tanh", "popc",  "clz", "brev", "bfind", NULL};
    ptx_type type = type_of(inst);
    uint32_t words = ptx_type_size(type) > 4 ? 2 : 1;
    if (is(inst, "div") || is(inst, "rem") || is(inst, "sqrt"))
        return division(inst, type);
    if (is(inst, "cvt"))
        return conversion(inst);
    if (type == PTX_F64)
        return simple(SG_PIPE_FP64, SG_LATENCY_FP64, is(inst, "rcp") || is(inst, "rsqrt") ? 8 : 1);
    if (among(inst, special))
        return simple(SG_PIPE_SPECIAL, SG_LATENCY_SPECIAL, has(inst, "rn") ? 6 : 1);
    if (is(inst, "dp4a") || is(inst, "dp2a"))
        return simple(SG_PIPE_IMAD, SG_LATENCY_ALU, 1);
    if (among(inst, products) && !lower_is_float(type))
        return integer_product(inst, type);
    if (lower_is_float(type) && (among(inst, products) || is(inst, "add") || is(inst, "sub")))
        return simple(SG_PIPE_FMA, SG_LATENCY_ALU, 1);
    return simple(SG_PIPE_ALU, SG_LATENCY_ALU, words);
}

/* ---- memory, warps, matrices ----------------------------------------------------------------- */

static cost memory(const ptx_inst *inst) {
    bool shared = has(inst, "shared"), load = is(inst, "ld") || is(inst, "ldu");
    if (has(inst, "param") || has(inst, "const"))
        return load ? nothing : simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1);
    cost c = simple(SG_PIPE_MEMORY, shared ? SG_LATENCY_SHARED : SG_LATENCY_L1, 1);
    c.kind = load ? (has(inst, "nc") ? SG_STEP_PLAIN : SG_STEP_LOAD) : SG_STEP_STORE;
    return c;
}

static cost atomic(const ptx_inst *inst) {
    cost c = simple(SG_PIPE_MEMORY,
                    has(inst, "shared") ? SG_LATENCY_SHARED_ATOMIC : SG_LATENCY_ATOMIC, 1);
    c.kind = is(inst, "red") ? SG_STEP_STORE : SG_STEP_LOAD;
    return c;
}

static cost copy(const ptx_inst *inst) {
    cost c = simple(SG_PIPE_MEMORY, SG_LATENCY_L2, 1);
    c.kind = has(inst, "commit_group")                          ? SG_STEP_COMMIT
             : has(inst, "wait_group") || has(inst, "wait_all") ? SG_STEP_WAIT
                                                                : SG_STEP_COPY;
    return c;
}

/* m16n8k16: m x n x k products and sums; a tensor core takes twice the time for TF32, half of it
 * for bytes. */
static cost matrix(const ptx_inst *inst) {
    uint32_t m = 0, n = 0, k = 0;
    if (!is(inst, "mma") && !has(inst, "mma"))
        return simple(SG_PIPE_MEMORY, SG_LATENCY_SHARED, has(inst, "x4") ? 4 : 1);
    for (uint32_t i = 0; i < inst->n_mods && !m; i++)
        if (sscanf(inst->mods[i], "m%un%uk%u", &m, &n, &k) != 3)
            m = 0;
    float work = 2.0f * (float)m * (float)n * (float)k;
    work *= has(inst, "tf32")                    ? 2
            : has(inst, "s8") || has(inst, "u8") ? 0.5f
            : has(inst, "f64")                   ? 15
                                                 : 1;
    return (cost){SG_PIPE_TENSOR, SG_LATENCY_TENSOR, SG_STEP_PLAIN, m * n * k > 2048 ? 2 : 1, work};
}

static cost cost_of(const ptx_inst *inst) {
    static const char *const loads[] = {"ld", "ldu", "st", NULL};
    static const char *const atomics[] = {"atom", "red", NULL};
    static const char *const shuffles[] = {"shfl", "match", "redux", NULL};
    static const char *const matrices[] = {"mma", "wmma", "ldmatrix", "stmatrix", NULL};
    static const char *const control[] = {"bra", "ret",     "exit",  "call",   "brx",
                                          "bar", "barrier", "fence", "membar", NULL};
    static const char *const none[] = {"cvta",     "prefetch",     "prefetchu",
                                       "isspacep", "createpolicy", NULL};
    if (is(inst, "mov"))
        return inst->n_ops > 1 && inst->ops[1].kind == PTX_OP_SPECIAL
                   ? simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1)
                   : nothing;
    if (among(inst, none))
        return nothing;
    if (among(inst, loads))
        return memory(inst);
    if (among(inst, atomics))
        return atomic(inst);
    if (is(inst, "cp"))
        return copy(inst);
    if (among(inst, shuffles))
        return simple(SG_PIPE_MEMORY, SG_LATENCY_SHUFFLE, 1);
    if (among(inst, matrices))
        return matrix(inst);
    if (is(inst, "nanosleep"))
        return (cost){SG_PIPE_ALU, SG_LATENCY_NONE, SG_STEP_SLEEP, 1, 0};
    if (among(inst, control))
        return (cost){SG_PIPE_ALU, SG_LATENCY_ALU, SG_STEP_PLAIN, 1, 0};
    return arithmetic(inst);
}

/* ---- registers ------------------------------------------------------------------------------- */

typedef struct list {
    uint32_t *at, n, room;
} list;

static void push(lowering *l, list *to, const ptx_var *reg) {
    if (!reg)
        return;
    if (to->n == to->room) {
        uint32_t *more = realloc(to->at, (2 * to->room + 64) * sizeof *more);
        if (!more) {
            free(to->at);
            lower_refuse(l, "there is no memory left to translate the kernel");
        }
        to->at = more;
        to->room = 2 * to->room + 64;
    }
    to->at[to->n++] = reg->index;
}

static void push_operand(lowering *l, list *to, const ptx_operand *op) {
    push(l, to, op->reg);
    for (uint32_t k = 0; k < op->n_items; k++)
        push_operand(l, to, &op->items[k]);
}

/* Is the first operand what the instruction writes? */
static bool writes_first(const ptx_inst *inst) {
    static const char *const others[] = {
        "st",  "red",  "bra",   "bar",    "barrier",  "cp",       "ret",       "exit",
        "brx", "call", "fence", "membar", "prefetch", "stmatrix", "nanosleep", NULL};
    return inst->n_ops && !among(inst, others) &&
           !(is(inst, "wmma") && inst->n_mods && !strcmp(inst->mods[0], "store"));
}

static void registers(lowering *l, const ptx_inst *inst, sg_step *step, list *to) {
    bool first = writes_first(inst);
    step->first = to->n;
    if (first)
        push_operand(l, to, &inst->ops[0]);
    step->n_written = (uint8_t)(to->n - step->first);
    for (uint32_t k = first; k < inst->n_ops; k++)
        push_operand(l, to, &inst->ops[k]);
    push(l, to, inst->guard);
    step->n_read = (uint8_t)(to->n - step->first - step->n_written);
}

/* A sum of 64 bits behind the wide product that it adds to, or of an address and a constant: part
 * of another instruction. */
static bool folded(const lowering *l, uint32_t index, uint32_t first) {
    const ptx_inst *inst = &l->source->insts[index];
    if (!is(inst, "add") || ptx_type_size(type_of(inst)) != 8 || lower_is_float(type_of(inst)))
        return false;
    for (uint32_t k = first; k < index; k++) {
        const ptx_inst *before = &l->source->insts[k];
        if (!is(before, "mul") || !has(before, "wide") || !before->n_ops ||
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

/* Does what the loop's end is compared with go in steps that the compiler knows? Where a step is
 * that of the grid, ptxas can't tell how many turns there are, and leaves the loop as it is. */
static bool counts_turns(const ptx_function *f, uint32_t first, uint32_t end) {
    const ptx_inst *test = writer_of(f, f->insts[end - 1].guard, first, end);
    bool counts = false;
    for (uint32_t k = 1; test && is(test, "setp") && k < test->n_ops; k++) {
        const ptx_var *reg = test->ops[k].reg;
        const ptx_inst *step = reg ? writer_of(f, reg, first, end) : NULL;
        counts |= step && (is(step, "add") || is(step, "sub")) && step->n_ops == 3 &&
                  step->ops[1].reg == reg && step->ops[2].kind == PTX_OP_IMM;
    }
    return counts;
}

/* ptxas unrolls a short loop until about so many loads are under way at once. */
#define LOADS_AT_ONCE 16
#define LONGEST_UNROLLED 48 /* instructions */

static uint32_t unrolled(const lowering *l, uint32_t first, uint32_t end) {
    const ptx_inst *last = &l->source->insts[end - 1];
    uint32_t loads = 0;
    if (!is(last, "bra") || !last->n_ops || last->ops[0].target != first ||
        end - first > LONGEST_UNROLLED || !counts_turns(l->source, first, end))
        return 1;
    for (uint32_t k = first; k < end; k++)
        loads += is(&l->source->insts[k], "ld") && !has(&l->source->insts[k], "param");
    return !loads ? 1 : loads < LOADS_AT_ONCE / 4 ? 4 : (LOADS_AT_ONCE + loads - 1) / loads;
}

/* ---- a segment ------------------------------------------------------------------------------- */

static bool ends_segment(const ptx_inst *inst) {
    return is(inst, "bar") || is(inst, "barrier");
}

bool lower_segment_begins(const lowering *l, const bool *leader) {
    return leader[l->index] || (l->index && ends_segment(&l->source->insts[l->index - 1]));
}

void lower_segment(lowering *l, const bool *leader) {
    const ptx_function *f = l->source;
    uint32_t end = l->index + 1;
    while (end < f->n_insts && !leader[end] && !ends_segment(&f->insts[end - 1]))
        end++;
    sg_segment *s = lower_own(l, sizeof *s);
    sg_step *steps = lower_own(l, (end - l->index) * sizeof *steps);
    list all = {0};
    for (uint32_t k = l->index; k < end; k++) {
        const ptx_inst *inst = &f->insts[k];
        sg_step *step = &steps[k - l->index];
        cost c = folded(l, k, l->index) ? nothing : cost_of(inst);
        registers(l, inst, step, &all);
        if (is(inst, "cp") && has(inst, "bulk"))
            s->unknown = "it copies with cp.async.bulk, whose time the model does not know";
        step->kind = (uint8_t)c.kind;
        step->latency = (uint8_t)c.latency;
        step->slots = (uint8_t)c.slots;
        step->pending = c.kind == SG_STEP_WAIT && inst->n_ops && inst->ops[0].kind == PTX_OP_IMM
                            ? (uint8_t)inst->ops[0].imm
                            : 0;
        step->pipe = (uint8_t)c.pipe;
        step->work = c.work;
        step->place = lower_line(l, inst);
        s->slots += (float)c.slots;
        s->pipes[c.pipe] += c.work;
    }
    uint32_t *kept = lower_own(l, (all.n + 1) * sizeof *kept);
    if (all.n)
        memcpy(kept, all.at, all.n * sizeof *kept);
    free(all.at);
    s->unrolled = unrolled(l, l->index, end);
    s->run = sg_trace_segment;
    s->first = l->index;
    s->n_steps = end - l->index;
    s->steps = steps;
    s->registers = kept;
    lower_emit(l, "builtin")->aux = s;
}
