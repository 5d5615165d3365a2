/* affine.c: registers as base + step * lane. Most values in a kernel's addresses and loop
 * conditions are either equal in all lanes (parameters, block index, loop counters), or increase
 * evenly from lane to lane (thread index). A register that only such computations write gets a
 * record of base and step (sg_affine). Operations on records take a few scalar instructions instead
 * of vectors, and an access knows its pattern from the record. Each operation decides at run time
 * whether its result has a record. If not, or if the warp has diverged, the lanes hold the value as
 * in other registers.
 *
 * Other code sees an ordinary register: lower_src() emits an op that fills the lanes first.
 *
 * Candidates are 32- and 64-bit integer registers that only the forms below write, if their sources
 * suggest base + step * lane. Values loaded from memory do not, nor does a remainder by the thread
 * index. An address must depend on them, or a comparison if no condition of the kernel depends on
 * data. Only kernels qualify: in a function, diverged lanes may run on different frames in the same
 * memory. Launches that count or check use lanes, and so do blocks whose warps are no rows of
 * threads (SG_RECORDS). */
#include "runtime/softgpu/lower/lower.h"

enum how {
    NO_FORM,
    DIRECT, /* a handler that maps records to a record */
    TAKEN,  /* the ordinary op, then a check of its lanes */
    PARAM,  /* a kernel parameter */
    SPECIAL /* a special register or a variable's address */
};

typedef struct form { /* how an instruction's result depends on its sources */
    enum how how;
    const char *base; /* DIRECT: the handler's name, without the width unless `whole` */
    bool whole;
    bool narrow; /* 32-bit first source, 64-bit result */
    bool shifts; /* the immediate is a shift count, and becomes a factor */
    uint32_t n;  /* sources are operands 1..n */
} form;

/* ---- forms of instructions ------------------------------------------------------------------ */

/* Returns the bytes of a 32- or 64-bit integer register, else 0. */
static unsigned width_of(const ptx_var *reg) {
    unsigned bytes = ptx_type_size(reg->type);
    return reg->type == PTX_PRED || lower_is_float(reg->type) || bytes < 4 || bytes > 8 ? 0 : bytes;
}

static bool is_reg(const ptx_operand *op, unsigned bytes) {
    return op->kind == PTX_OP_REG && !op->component && width_of(op->reg) == bytes;
}

/* Returns the integer type if it is the last of `n` modifiers, else PTX_NONE. */
static ptx_type sole_type(const ptx_inst *inst, uint32_t n) {
    ptx_type type = inst->n_mods == n && n ? ptx_type_named(inst->mods[n - 1]) : PTX_NONE;
    return lower_is_float(type) || type == PTX_PRED ? PTX_NONE : type;
}

/* Returns true if the operand is a kernel parameter at a fixed offset. */
static bool kernel_parameter(const ptx_function *f, const ptx_operand *op, unsigned bytes,
                             uint64_t *at) {
    if (op->kind != PTX_OP_ADDR || !op->var || op->reg || op->var < f->params ||
        op->var >= f->params + f->n_params)
        return false;
    *at = f->param_offsets[op->var - f->params] + (uint64_t)op->imm;
    return *at <= f->param_bytes && f->param_bytes - *at >= bytes;
}

static form move_form(const ptx_inst *inst, unsigned bytes) {
    const ptx_operand *from = &inst->ops[1];
    if (ptx_op_is(inst, "cvta") && bytes == 8 && ptx_modified(inst, "global") && inst->n_ops == 2)
        return (form){DIRECT, "mov", false, false, false, 1};
    if (!ptx_op_is(inst, "mov") || ptx_type_size(sole_type(inst, 1)) != bytes)
        return (form){.how = NO_FORM};
    if (from->kind == PTX_OP_SYMBOL ||
        (from->kind == PTX_OP_SPECIAL && bytes == 4 && from->special <= PTX_ZERO))
        return (form){.how = SPECIAL};
    return (form){DIRECT, "mov", false, false, false, 1};
}

static form arithmetic_form(const ptx_inst *inst, unsigned bytes) {
    static const struct {
        const char *opcode, *type, *handler;
    } flat[] = {{"and", "b32", "and_b32"}, {"or", "b32", "or_b32"},   {"xor", "b32", "xor_b32"},
                {"shl", "b32", "shl_b32"}, {"shr", "u32", "shr_u32"}, {"shr", "s32", "shr_s32"},
                {"min", "u32", "min_u32"}, {"min", "s32", "min_s32"}, {"max", "u32", "max_u32"},
                {"max", "s32", "max_s32"}};
    ptx_type one = sole_type(inst, 1), two = sole_type(inst, 2);
    bool lo = inst->n_mods == 2 && !strcmp(inst->mods[0], "lo");
    if ((ptx_op_is(inst, "add") || ptx_op_is(inst, "sub")) && ptx_type_size(one) == bytes)
        return (form){DIRECT, inst->opcode, false, false, false, 2};
    if ((ptx_op_is(inst, "mul") || ptx_op_is(inst, "mad")) && lo && ptx_type_size(two) == bytes)
        return (form){DIRECT, inst->opcode, false, false, false, ptx_op_is(inst, "mul") ? 2 : 3};
    if (ptx_op_is(inst, "shl") && ptx_type_size(one) == bytes && inst->n_ops == 3 &&
        inst->ops[2].kind == PTX_OP_IMM)
        return (form){DIRECT, "mul", false, false, true, 2};
    if (bytes == 8 && ptx_op_is(inst, "mul") && ptx_modified(inst, "wide") && inst->n_ops == 3 &&
        inst->ops[2].kind == PTX_OP_IMM && (two == PTX_S32 || two == PTX_U32))
        return (form){DIRECT, two == PTX_S32 ? "wide_s32" : "wide_u32", true, true, false, 2};
    if (bytes == 8 && ptx_op_is(inst, "cvt") && (two == PTX_S32 || two == PTX_U32) &&
        (ptx_modified(inst, "s64") || ptx_modified(inst, "u64")))
        return (form){DIRECT, two == PTX_S32 ? "wide_s32" : "wide_u32", true, true, false, 1};
    for (size_t k = 0; bytes == 4 && inst->n_mods == 1 && k < WB_COUNT(flat); k++)
        if (ptx_op_is(inst, flat[k].opcode) && !strcmp(inst->mods[0], flat[k].type))
            return (form){DIRECT, flat[k].handler, true, false, false, 2};
    return (form){.how = NO_FORM};
}

/* Returns true if the ordinary op qualifies: 32- and 64-bit registers and immediates as sources. */
static bool takes(const ptx_inst *inst) {
    if (!lower_among(
            inst->opcode,
            "and or xor not shl shr shf min max div rem neg abs cvt bfe selp mul mad lop3 prmt") ||
        ptx_modified(inst, "cc"))
        return false;
    for (uint32_t k = 1; k < inst->n_ops; k++) {
        const ptx_operand *op = &inst->ops[k];
        if (op->kind != PTX_OP_IMM && !(op->kind == PTX_OP_REG && !op->component &&
                                        (width_of(op->reg) || op->reg->type == PTX_PRED)))
            return false;
    }
    return true;
}

/* Returns true if a DIRECT handler takes the sources. An immediate is last, or second in mad. */
static bool fits(const ptx_inst *inst, const form *f, unsigned bytes) {
    if (inst->n_ops != f->n + 1)
        return false;
    for (uint32_t k = 1; k <= f->n; k++) {
        const ptx_operand *op = &inst->ops[k];
        bool immediate = op->kind == PTX_OP_IMM && !op->is_float;
        bool may = k == f->n || (f->n == 3 && k == 2 && inst->ops[3].kind == PTX_OP_REG);
        if (f->narrow && k == 1 ? !is_reg(op, 4) : !(immediate && may) && !is_reg(op, bytes))
            return false;
    }
    return true;
}

static form form_of(const lowering *l, const ptx_inst *inst) {
    uint64_t at;
    unsigned bytes = inst->n_ops > 1 && inst->ops[0].kind == PTX_OP_REG && !inst->ops[0].component
                         ? width_of(inst->ops[0].reg)
                         : 0;
    if (!bytes)
        return (form){.how = NO_FORM};
    if (ptx_op_is(inst, "ld") && inst->n_ops == 2 && ptx_type_size(sole_type(inst, 2)) == bytes &&
        !strcmp(inst->mods[0], "param") && kernel_parameter(l->source, &inst->ops[1], bytes, &at))
        return (form){.how = PARAM};
    form f = move_form(inst, bytes);
    if (f.how == NO_FORM)
        f = arithmetic_form(inst, bytes);
    if (f.how == DIRECT && !fits(inst, &f, bytes))
        f.how = NO_FORM;
    return f.how == NO_FORM && takes(inst) ? (form){.how = TAKEN} : f;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* The expected values of a register. For lanes that differ in other ways, such as a remainder by
 * the thread index, ordinary ops are faster. */
enum shape { UNIFORM, RISING, NEITHER, DATA };

/* Excludes registers that are or may be results: the first operand unless it is an address, and
 * every operand of a call. */
static void strike(const ptx_operand *op, uint8_t *shapes) {
    if (op->kind == PTX_OP_REG)
        shapes[op->reg->index] = DATA;
    for (uint32_t k = 0; op->kind != PTX_OP_ADDR && k < op->n_items; k++)
        strike(&op->items[k], shapes);
}

/* Returns the k-th operand's register if it is a possible source, else NULL. */
static const ptx_var *source(const ptx_inst *inst, uint32_t k) {
    const ptx_operand *op = &inst->ops[k];
    return op->kind == PTX_OP_REG && op->reg->type != PTX_PRED ? op->reg : NULL;
}

static enum shape special_shape(ptx_special kind) {
    if ((kind >= PTX_TID_X && kind <= PTX_TID_Z) || kind == PTX_LANEID)
        return RISING;
    return kind >= PTX_LANEMASK_EQ && kind <= PTX_LANEMASK_GE ? NEITHER : UNIFORM;
}

static enum shape result_shape(const ptx_inst *inst, const form *f, const uint8_t *shapes) {
    enum shape of[3] = {UNIFORM, UNIFORM, UNIFORM}, most = UNIFORM;
    if (f->how == SPECIAL && inst->ops[1].kind == PTX_OP_SPECIAL)
        return special_shape(inst->ops[1].special);
    for (uint32_t k = 1; k < inst->n_ops; k++) {
        const ptx_var *reg = source(inst, k);
        enum shape shape = reg ? shapes[reg->index] : UNIFORM;
        if (k <= 3)
            of[k - 1] = shape;
        most = shape > most ? shape : most;
    }
    bool product = f->how == DIRECT && f->n > 1 && !f->whole && f->base[0] == 'm'; /* mul, mad */
    if (product && of[0] == RISING && of[1] == RISING && most == RISING)
        return NEITHER;
    bool flat = f->how == TAKEN || (f->how == DIRECT && f->whole && !f->narrow);
    return flat && most == RISING ? NEITHER : most;
}

/* Raises the shapes of results to those of their sources until nothing changes. */
static void settle(const ptx_function *s, const form *forms, uint8_t *shapes) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < s->n_insts; k++) {
            if (forms[k].how == NO_FORM)
                continue;
            uint8_t *result = &shapes[s->insts[k].ops[0].reg->index];
            enum shape shape = result_shape(&s->insts[k], &forms[k], shapes);
            if (shape > *result)
                *result = (uint8_t)shape, again = true;
        }
    }
}

bool lower_affine_comparison(const lowering *l, uint32_t first, ptx_type type) {
    const ptx_operand *a = &l->inst->ops[first], *b = a + 1;
    return ptx_type_size(type) == 4 && !lower_is_float(type) && is_reg(a, 4) &&
           l->affine[a->reg->index] &&
           (b->kind == PTX_OP_IMM || (is_reg(b, 4) && l->affine[b->reg->index]));
}

/* Marks the registers that an instruction needs for an address or a comparison. */
static void mark_use(const ptx_inst *inst, const uint8_t *shapes, bool compares, bool *wanted) {
    bool access = (ptx_op_is(inst, "ld") || ptx_op_is(inst, "st")) &&
                  (ptx_modified(inst, "global") || ptx_modified(inst, "shared"));
    for (uint32_t o = 0; access && o < inst->n_ops; o++)
        if (inst->ops[o].kind == PTX_OP_ADDR && inst->ops[o].reg)
            wanted[inst->ops[o].reg->index] = shapes[inst->ops[o].reg->index] < NEITHER;
    if (!compares || !ptx_op_is(inst, "setp") || inst->n_ops < 3 || !source(inst, 1) ||
        width_of(source(inst, 1)) != 4)
        return;
    const ptx_var *a = source(inst, 1), *b = source(inst, 2);
    if (shapes[a->index] < NEITHER &&
        (b ? shapes[b->index] < NEITHER : inst->ops[2].kind == PTX_OP_IMM)) {
        wanted[a->index] = true;
        if (b)
            wanted[b->index] = true;
    }
}

/* Returns true if a condition depends on data, or a loop's condition is neither uniform nor rising.
 * Then warps are likely to diverge, and such a loop's counter differs between lanes. */
static bool data_decides(const ptx_function *s, const uint8_t *shapes) {
    uint32_t loop = UINT32_MAX; /* start of the outermost loop that jumps back from behind */
    for (uint32_t k = s->n_insts; k-- > 0;) {
        const ptx_inst *inst = &s->insts[k];
        if (ptx_op_is(inst, "bra") && inst->n_ops && inst->ops[0].target <= k &&
            inst->ops[0].target < loop)
            loop = inst->ops[0].target;
        for (uint32_t o = 1; ptx_op_is(inst, "setp") && o < inst->n_ops; o++) {
            enum shape shape = source(inst, o) ? shapes[source(inst, o)->index] : UNIFORM;
            if (shape == DATA || (shape == NEITHER && loop <= k))
                return true;
        }
    }
    return false;
}

/* Marks the registers that uses depend on. */
static void find_wanted(const ptx_function *s, const form *forms, const uint8_t *shapes,
                        bool *wanted) {
    bool compares = !data_decides(s, shapes);
    for (uint32_t k = 0; k < s->n_insts; k++)
        mark_use(&s->insts[k], shapes, compares, wanted);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = s->n_insts; k-- > 0;) {
            const ptx_inst *inst = &s->insts[k];
            if (forms[k].how == NO_FORM || !wanted[inst->ops[0].reg->index])
                continue;
            for (uint32_t o = 1; o < inst->n_ops; o++) {
                const ptx_var *reg = source(inst, o);
                if (reg && !wanted[reg->index])
                    wanted[reg->index] = again = true;
            }
        }
    }
}

bool lower_find_affine(lowering *l) {
    const ptx_function *s = l->source;
    uint8_t *shapes = malloc((size_t)s->n_regs + 1);
    form *forms = calloc((size_t)s->n_insts + 1, sizeof *forms);
    l->affine = calloc((size_t)s->n_regs + 1, sizeof *l->affine);
    bool ok = shapes && forms && l->affine;
    if (ok && s->is_entry && l->options & SG_RECORDS) {
        memset(shapes, DATA, (size_t)s->n_regs + 1);
        for (uint32_t k = 0; k < s->n_insts; k++) {
            forms[k] = form_of(l, &s->insts[k]);
            if (forms[k].how != NO_FORM)
                shapes[s->insts[k].ops[0].reg->index] = UNIFORM;
        }
        for (uint32_t k = 0; k < s->n_insts; k++) {
            const ptx_inst *inst = &s->insts[k];
            uint32_t n = ptx_op_is(inst, "call") ? inst->n_ops : inst->n_ops > 0;
            for (uint32_t o = 0; o < n && forms[k].how == NO_FORM; o++)
                strike(&inst->ops[o], shapes);
        }
        settle(s, forms, shapes);
        find_wanted(s, forms, shapes, l->affine);
    }
    WB_FREE(shapes, forms);
    return ok;
}

/* ---- translation ---------------------------------------------------------------------------- */

static int bits_of(const ptx_inst *inst) {
    return 8 * (int)width_of(inst->ops[0].reg);
}

static void direct(lowering *l, const form *f) {
    const ptx_inst *inst = l->inst;
    int32_t places[3] = {0};
    uint64_t imm = 1; /* for cvt: times 1 */
    const char *end = "";
    char name[48];
    for (uint32_t k = 0; k < f->n; k++) {
        const ptx_operand *op = &inst->ops[k + 1];
        if (op->kind == PTX_OP_IMM) {
            uint64_t most = (uint64_t)bits_of(inst) - 1, count = (uint64_t)op->imm;
            imm = !f->shifts ? count : count > most ? 0 : 1ull << count;
            end = k == 1 && f->n == 3 ? "_bi" : "_i";
        } else {
            places[k] = lower_reg_place(l, op->reg);
        }
    }
    if (f->narrow)
        end = "";
    if (f->whole)
        snprintf(name, sizeof name, "affine_%s%s", f->base, end);
    else
        snprintf(name, sizeof name, "affine_%s_%d%s", f->base, bits_of(inst), end);
    sg_op *op = lower_put(l, lower_reg_place(l, inst->ops[0].reg), places[0], places[1], places[2],
                          "%s", name);
    op->imm = imm;
    if (l->brief[inst->ops[0].reg->index] && !inst->guard)
        op->flags |= SG_F_BRIEF;
}

static void parameter(lowering *l) {
    uint64_t at;
    kernel_parameter(l->source, &l->inst->ops[1], width_of(l->inst->ops[0].reg), &at);
    sg_op *op = lower_emitf(l, "affine_param_%d", bits_of(l->inst));
    op->d = lower_reg_place(l, l->inst->ops[0].reg);
    op->imm = at;
}

static void special(lowering *l) {
    const ptx_operand *from = &l->inst->ops[1];
    int bits = bits_of(l->inst);
    int32_t d = lower_reg_place(l, l->inst->ops[0].reg);
    if (from->kind == PTX_OP_SPECIAL && sg_special_per_block(from->special)) {
        sg_op *op = lower_emit(l, "affine_block_32");
        op->d = d;
        op->e = from->special - PTX_CTAID_X;
        return;
    }
    int32_t a = lower_src(l, from, bits == 64 ? PTX_U64 : PTX_U32);
    lower_put(l, d, a, 0, 0, "affine_take_%d", bits);
}

bool lower_affine(lowering *l) {
    form f = form_of(l, l->inst);
    if (f.how == NO_FORM || f.how == TAKEN || !l->affine[l->inst->ops[0].reg->index])
        return false;
    if (f.how == PARAM)
        parameter(l);
    else if (f.how == SPECIAL)
        special(l);
    else
        direct(l, &f);
    return true;
}

bool lower_affine_open(lowering *l) {
    form f = form_of(l, l->inst);
    if (f.how == NO_FORM || !l->affine[l->inst->ops[0].reg->index])
        return false;
    lower_emitf(l, "affine_open_%d", bits_of(l->inst))->d = lower_reg_place(l, l->inst->ops[0].reg);
    return true;
}

void lower_affine_close(lowering *l) {
    lower_emitf(l, "affine_close_%d", bits_of(l->inst))->d =
        lower_reg_place(l, l->inst->ops[0].reg);
}
