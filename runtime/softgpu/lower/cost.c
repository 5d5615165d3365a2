/* cost.c: the instructions that ptxas makes of one PTX instruction for compute capability 9.0, and
 * their pipes. Taken from ptxas 13.0's machine code and the throughput table of the CUDA
 * programming guide. Parameters and addresses of variables are operands, and so are signs and
 * absolute values. A division is a routine. Only a routine's path for ordinary numbers counts, not
 * the one for very large and very small ones. Where both join, the three instructions for that take
 * two slots each. */
#include "runtime/softgpu/lower/cost.h"

static const lower_cost nothing;

static lower_cost simple(enum sg_pipe pipe, enum sg_latency latency, uint32_t slots) {
    lower_cost c = {.slots = slots, .latency = latency};
    c.pipes[pipe] = (float)slots;
    return c;
}

/* ---- routines -------------------------------------------------------------------------------- */

typedef struct routine {
    uint8_t slots, fma, alu, imad, special, fp64; /* total; by pipe */
    uint8_t more;                                 /* dependent ones behind the estimate */
} routine;

/* Its dependent instructions are doubles if it has any. */
static lower_cost of_routine(const routine *r) {
    return (lower_cost){.slots = r->slots,
                        .pipes = {[SG_PIPE_FMA] = r->fma,
                                  [SG_PIPE_ALU] = r->alu,
                                  [SG_PIPE_IMAD] = r->imad,
                                  [SG_PIPE_SPECIAL] = r->special,
                                  [SG_PIPE_FP64] = r->fp64},
                        .latency = SG_LATENCY_SPECIAL,
                        .more = r->more,
                        .of = r->fp64 ? SG_LATENCY_FP64 : SG_LATENCY_ALU};
}

/* Rounded floats: an estimate, its refinement, and a test whether that was valid. */
static const routine quotient = {.slots = 13, .fma = 5, .special = 1, .more = 8};
static const routine reciprocal = {.slots = 13, .fma = 3, .alu = 3, .special = 1, .more = 8};
static const routine root = {.slots = 13, .fma = 4, .alu = 2, .special = 1, .more = 5};
/* Estimates that are valid for tiny numbers, and those that flush them to zero (ftz). */
static const routine full_quotient = {.slots = 8, .fma = 5, .alu = 2, .special = 1, .more = 4};
static const routine near_quotient = {.slots = 5, .fma = 3, .alu = 1, .special = 1, .more = 3};
static const routine quick_quotient = {.slots = 2, .fma = 1, .special = 1, .more = 1};
static const routine near_estimate = {.slots = 4, .fma = 2, .alu = 1, .special = 1, .more = 4};
static const routine wave = {.slots = 2, .fma = 1, .special = 1};
static const routine quick_estimate = {.slots = 1, .special = 1};
static const routine double_quotient = {
    .slots = 21, .fma = 1, .alu = 2, .special = 1, .fp64 = 8, .more = 8};
static const routine double_root = {.slots = 21, .alu = 3, .special = 1, .fp64 = 8, .more = 7};
static const routine double_reciprocal = {
    .slots = 15, .alu = 3, .special = 1, .fp64 = 5, .more = 5};
/* Integers, by an estimate in floats: 45 slots for a 32-bit quotient and remainder on an H200. */
static const routine word_quotient = {.slots = 18, .alu = 8, .imad = 6, .special = 3, .more = 20};
static const routine signed_quotient = {
    .slots = 24, .alu = 12, .imad = 7, .special = 3, .more = 23};
static const routine long_quotient = {.slots = 70, .alu = 34, .imad = 33, .special = 3, .more = 40};

static lower_cost division(const ptx_inst *inst, ptx_type type) {
    bool divides = !ptx_op_is(inst, "sqrt"), rounds = lower_modified(inst, "rn rz rm rp");
    bool flushes = ptx_modified(inst, "ftz");
    if (type == PTX_F64)
        return of_routine(divides ? &double_quotient : &double_root);
    if (type == PTX_F32 && rounds)
        return of_routine(divides ? &quotient : &root);
    if (type == PTX_F32 && !divides)
        return of_routine(flushes ? &quick_estimate : &near_estimate);
    if (type == PTX_F32 && ptx_modified(inst, "full"))
        return of_routine(flushes ? &near_quotient : &full_quotient);
    if (type == PTX_F32)
        return of_routine(flushes ? &quick_quotient : &near_quotient);
    if (ptx_type_size(type) > 4)
        return of_routine(&long_quotient);
    return of_routine(lower_is_signed(type) ? &signed_quotient : &word_quotient);
}

/* Returns the cost of reciprocals, powers, logarithms and sines. */
static lower_cost estimate(const ptx_inst *inst, ptx_type type) {
    bool reciprocals = ptx_op_is(inst, "rcp") || ptx_op_is(inst, "rsqrt");
    if (type == PTX_F64 && reciprocals && !ptx_modified(inst, "ftz"))
        return of_routine(&double_reciprocal);
    if (type == PTX_F32 && (ptx_modified(inst, "rn") || ptx_modified(inst, "rz")))
        return of_routine(&reciprocal);
    if (lower_among(inst->opcode, "sin cos"))
        return of_routine(&wave);
    bool quick = ptx_modified(inst, "ftz") || ptx_op_is(inst, "tanh") || type != PTX_F32;
    return of_routine(quick ? &quick_estimate : &near_estimate);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static lower_cost integer_product(const ptx_inst *inst, ptx_type type) {
    bool wide = ptx_modified(inst, "wide");
    uint32_t words = ptx_type_size(type) > 4 ? 2 : 1;
    if (ptx_modified(inst, "hi")) {
        lower_cost c = simple(SG_PIPE_IMAD, SG_LATENCY_ALU, words == 1 ? 1 : 8);
        c.pipes[SG_PIPE_IMAD] = words == 1 ? 2 : 8;
        return c;
    }
    return simple(SG_PIPE_IMAD, SG_LATENCY_ALU, wide ? 1 : words == 2 ? 4 : 1);
}

static bool is_half(ptx_type type) {
    return lower_is_float(type) && type != PTX_F32 && type != PTX_F64 && type != PTX_TF32;
}

static lower_cost conversion(const ptx_inst *inst) {
    ptx_type to = PTX_NONE, from = PTX_NONE;
    for (uint32_t k = 0; k < inst->n_mods; k++) {
        ptx_type t = ptx_type_named(inst->mods[k]);
        if (t != PTX_NONE) {
            to = from == PTX_NONE ? t : to;
            from = t;
        }
    }
    bool widens = ptx_type_size(to) > 4, from_float = lower_is_float(from);
    if (!lower_is_float(to) && !from_float)
        return widens && !lower_is_signed(from) ? nothing : simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1);
    if (is_half(from) && to == PTX_F32)
        return simple(SG_PIPE_HALF, SG_LATENCY_ALU, 1);
    if (is_half(to) && from == PTX_F32)
        return simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1);
    if (to == PTX_F32 && !from_float && ptx_type_size(from) == 4)
        return simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1);
    return simple(SG_PIPE_SPECIAL, SG_LATENCY_SPECIAL, 1);
}

static lower_cost counting(const ptx_inst *inst, ptx_type type) {
    lower_cost c = simple(SG_PIPE_SPECIAL, SG_LATENCY_SPECIAL, 1);
    if (ptx_op_is(inst, "clz") || ptx_type_size(type) > 4) {
        c.slots += ptx_type_size(type) > 4 ? 3 : 1;
        c.pipes[SG_PIPE_ALU] += (float)(c.slots - 1);
        c.more = 1;
        c.of = SG_LATENCY_ALU;
    }
    return c;
}

static lower_cost float_arithmetic(const ptx_inst *inst, ptx_type type) {
    if (lower_among(inst->opcode, "neg abs"))
        return nothing;
    if (type == PTX_F64 && !lower_among(inst->opcode, "selp copysign"))
        return simple(SG_PIPE_FP64, SG_LATENCY_FP64, 1);
    if (lower_among(inst->opcode, "mul mad fma add sub"))
        return simple(is_half(type) ? SG_PIPE_HALF : SG_PIPE_FMA, SG_LATENCY_ALU, 1);
    return simple(SG_PIPE_ALU, SG_LATENCY_ALU, ptx_type_size(type) > 4 ? 2 : 1);
}

static lower_cost arithmetic(const ptx_inst *inst) {
    ptx_type type = lower_operand_type(inst);
    uint32_t words = ptx_type_size(type) > 4 ? 2 : 1;
    if (lower_among(inst->opcode, "div rem sqrt"))
        return division(inst, type);
    if (ptx_op_is(inst, "cvt"))
        return conversion(inst);
    if (lower_among(inst->opcode, "rcp rsqrt sin cos ex2 lg2 tanh"))
        return estimate(inst, type);
    if (lower_among(inst->opcode, "popc clz brev bfind"))
        return counting(inst, type);
    if (lower_is_float(type))
        return float_arithmetic(inst, type);
    if (ptx_op_is(inst, "dp4a") || ptx_op_is(inst, "dp2a"))
        return simple(SG_PIPE_IMAD, SG_LATENCY_ALU, 1);
    if (lower_among(inst->opcode, "mul mad mul24 mad24"))
        return integer_product(inst, type);
    return simple(SG_PIPE_ALU, SG_LATENCY_ALU,
                  lower_among(inst->opcode, "bfe bfi") ? 2 * words : words);
}

/* ---- memory, warps, matrices ----------------------------------------------------------------- */

static lower_cost memory(const ptx_inst *inst) {
    bool shared = ptx_modified(inst, "shared"), fetch = lower_among(inst->opcode, "tex tld4 suld"),
         load = fetch || ptx_op_is(inst, "ld") || ptx_op_is(inst, "ldu");
    bool computed = inst->n_ops > 1 && inst->ops[1].kind == PTX_OP_ADDR && inst->ops[1].reg;
    if (ptx_modified(inst, "param") || ptx_modified(inst, "const"))
        return load && ptx_modified(inst, "const") && computed
                   ? simple(SG_PIPE_ALU, SG_LATENCY_L1, 1)
               : load ? nothing
                      : simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1);
    lower_cost c = simple(SG_PIPE_MEMORY, shared ? SG_LATENCY_SHARED : SG_LATENCY_L1, 1);
    c.kind =
        load ? (fetch || ptx_modified(inst, "nc") ? SG_STEP_PLAIN : SG_STEP_LOAD) : SG_STEP_STORE;
    return c;
}

static lower_cost atomic(const ptx_inst *inst) {
    lower_cost c =
        simple(SG_PIPE_MEMORY,
               ptx_modified(inst, "shared") ? SG_LATENCY_SHARED_ATOMIC : SG_LATENCY_ATOMIC, 1);
    c.kind = ptx_op_is(inst, "red") ? SG_STEP_STORE : SG_STEP_LOAD;
    return c;
}

static lower_cost copy(const ptx_inst *inst) {
    lower_cost c = simple(SG_PIPE_MEMORY, SG_LATENCY_L2, 1);
    if (ptx_modified(inst, "bulk") && !ptx_modified(inst, "commit_group") &&
        !ptx_modified(inst, "wait_group"))
        return simple(SG_PIPE_MEMORY, SG_LATENCY_ALU, 1); /* its clocks are in watch/trace/bulk.c */
    c.kind = ptx_modified(inst, "commit_group")                                   ? SG_STEP_COMMIT
             : ptx_modified(inst, "wait_group") || ptx_modified(inst, "wait_all") ? SG_STEP_WAIT
                                                                                  : SG_STEP_COPY;
    return c;
}

/* Returns the cost of a matrix product: m x n x k products and sums for m16n8k16. A tensor core
 * takes twice as long for TF32, and half as long for bytes. */
static lower_cost matrix(const ptx_inst *inst) {
    uint32_t m = 0, n = 0, k = 0;
    if (!ptx_op_is(inst, "mma") && !ptx_modified(inst, "mma"))
        return simple(SG_PIPE_MEMORY, SG_LATENCY_SHARED, ptx_modified(inst, "x4") ? 4 : 1);
    for (uint32_t i = 0; i < inst->n_mods && !m; i++)
        if (sscanf(inst->mods[i], "m%un%uk%u", &m, &n, &k) != 3)
            m = 0;
    float work = 2.0f * (float)m * (float)n * (float)k;
    work *= ptx_modified(inst, "tf32")                             ? 2
            : ptx_modified(inst, "s8") || ptx_modified(inst, "u8") ? 0.5f
            : ptx_modified(inst, "f64")                            ? 15
                                                                   : 1;
    lower_cost c = {.slots = m * n * k > 2048 ? 2 : 1, .latency = SG_LATENCY_TENSOR};
    c.pipes[SG_PIPE_TENSOR] = work;
    return c;
}

lower_cost lower_cost_of(const ptx_inst *inst) {
    if (ptx_op_is(inst, "mov"))
        return inst->n_ops > 1 && inst->ops[1].kind == PTX_OP_SPECIAL
                   ? simple(SG_PIPE_ALU, SG_LATENCY_ALU, 1)
                   : nothing;
    if (lower_among(inst->opcode, "cvta prefetch prefetchu isspacep createpolicy"))
        return nothing;
    if (lower_among(inst->opcode, "ld ldu st tex tld4 suld sust"))
        return memory(inst);
    if (lower_among(inst->opcode, "atom red"))
        return atomic(inst);
    if (ptx_op_is(inst, "cp"))
        return copy(inst);
    if (lower_among(inst->opcode, "shfl match redux"))
        return simple(SG_PIPE_MEMORY, SG_LATENCY_SHUFFLE, 1);
    if (lower_among(inst->opcode, "mma wmma ldmatrix stmatrix"))
        return matrix(inst);
    if (ptx_op_is(inst, "nanosleep"))
        return (lower_cost){.slots = 1, .kind = SG_STEP_SLEEP};
    if (lower_fences(inst))
        return (lower_cost){.slots = 1, .kind = SG_STEP_FENCE};
    if (lower_among(inst->opcode, "bra ret exit call brx bar barrier fence membar"))
        return (lower_cost){.slots = 1, .latency = SG_LATENCY_ALU};
    return arithmetic(inst);
}
