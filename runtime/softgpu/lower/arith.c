/* arith.c: arithmetic, logic and bit instructions. Most have a handler named after opcode and type
 * (ops_int.h, ops_float.h). A missing signed handler is replaced by the unsigned one only if that
 * computes the same bits. */
#include "runtime/softgpu/lower/lower.h"

static const ptx_type words[] = {PTX_U32, PTX_U32, PTX_U32};

static bool commutes(const char *base) {
    return lower_among(base, "add mul mul_lo mul_hi mul_wide min max and or xor add_ftz mul_ftz");
}

/* Emits d = base(a, b), at places. */
static void emit2(lowering *l, const char *base, const char *type, int32_t d, const ptx_operand *a,
                  const ptx_operand *b, ptx_type ta, ptx_type tb) {
    uint64_t imm = 0;
    if (a->kind == PTX_OP_IMM && b->kind != PTX_OP_IMM && ta == tb && commutes(base)) {
        const ptx_operand *swap = a;
        a = b;
        b = swap;
    }
    int32_t pa = lower_src(l, a, ta), pb = 0;
    bool immediate = lower_imm(l, b, tb, &imm);
    if (!immediate)
        pb = lower_src(l, b, tb);
    lower_put(l, d, pa, pb, 0, "%s_%s%s", base, type, immediate ? "_i" : "")->imm = imm;
}

/* Lowers instructions with a carry: add.cc, addc, sub.cc, subc, mad.cc, madc. */
static void carry(lowering *l) {
    bool reads = l->inst->opcode[strlen(l->inst->opcode) - 1] == 'c';
    char base[8] = "";
    strncat(base, l->inst->opcode, 3);
    bool mad = !strcmp(base, "mad"), writes = lower_has(l, "cc");
    const char *part = lower_has(l, "hi") ? "_hi" : lower_has(l, "lo") ? "_lo" : "";
    ptx_type type = lower_type(l);
    bool wide = ptx_type_size(type) == 8;
    if (lower_is_float(type) || (mad && !*part))
        lower_unknown(l);
    if (l->carry < 0)
        l->carry = lower_pred_new(l);
    int32_t d = lower_dst(l, lower_op(l, 0), type);
    int32_t a = lower_src(l, lower_op(l, 1), type), b = lower_src(l, lower_op(l, 2), type);
    int32_t c = mad ? lower_src(l, lower_op(l, 3), type) : a;
    const char *sign = !strcmp(part, "_hi") ? (lower_is_signed(type) ? "s" : "u") : "";
    sg_op *op = lower_put(l, d, a, b, c, "%sc%s_%s%d", base, part, sign, wide ? 64 : 32);
    op->e = l->carry;
    op->mode = (uint8_t)((reads ? 1 : 0) | (writes ? 2 : 0));
}

/* Returns a source with flushed subnormals, for handlers that do not flush. */
static int32_t flushed(lowering *l, int32_t place, ptx_type type) {
    return lower_put(l, lower_temp(l, 8), place, 0, 0, "ftz_%s", lower_suffix(type))->d;
}

/* Lowers floating-point instructions of up to three operands, with rounding, ftz, sat, relu and
 * NaN. */
static bool floating(lowering *l, const char *base, ptx_type type, uint32_t operands) {
    bool ftz = lower_has(l, "ftz"), sat = lower_has(l, "sat"), nan = lower_has(l, "NaN");
    bool relu = lower_has(l, "relu"), narrow = type != PTX_F32 && type != PTX_F64;
    int mode = lower_rounding(l, SG_RN);
    lower_has(l, "approx");
    lower_has(l, "full");
    if (ftz && type == PTX_F64)
        lower_unknown(l);
    if (ftz && (type == PTX_BF16 || type == PTX_BF16X2))
        ftz = false; /* ex2.approx.ftz.bf16 */
    char name[48];
    bool flush = ftz && !(type == PTX_F32 && mode == SG_RN && lower_among(base, "add sub mul fma"));
    snprintf(name, sizeof name, "%s%s%s%s", base, nan ? "_NaN" : "", mode != SG_RN ? "_mode" : "",
             ftz && !flush ? "_ftz" : "");
    const ptx_operand *to = lower_op(l, 0);
    if (type == PTX_F32 && !strcmp(name, base) && lower_among(base, "add sub mul fma") && !sat &&
        to->kind == PTX_OP_REG && !l->bits[to->reg->index])
        snprintf(name, sizeof name, "%s_any", base);
    if (narrow && mode != SG_RN)
        lower_unknown(l);
    int32_t d = lower_dst(l, lower_op(l, 0), type);
    if (operands == 2 && mode == SG_RN && !flush) {
        emit2(l, name, lower_suffix(type), d, lower_op(l, 1), lower_op(l, 2), type, type);
    } else {
        int32_t src[3] = {0, 0, 0};
        for (uint32_t k = 0; k < operands; k++) {
            src[k] = lower_src(l, lower_op(l, k + 1), type);
            if (flush)
                src[k] = flushed(l, src[k], type);
        }
        sg_op *op = lower_put(l, d, src[0], operands > 1 ? src[1] : src[0],
                              operands > 2 ? src[2] : src[0], "%s_%s", name, lower_suffix(type));
        op->mode = (uint8_t)mode;
    }
    if (flush)
        lower_put(l, d, d, 0, 0, "ftz_%s", lower_suffix(type));
    if (sat)
        lower_put(l, d, d, 0, 0, "sat_%s", lower_suffix(type));
    if (relu)
        lower_put(l, d, d, 0, 0, "relu_%s", lower_suffix(type));
    return true;
}

/* Lowers min and max of three values by two handlers. */
static bool extreme3(lowering *l, ptx_type type) {
    bool ftz = lower_has(l, "ftz"), nan = lower_has(l, "NaN");
    if (type != PTX_F32)
        lower_unknown(l);
    int32_t d = lower_dst(l, lower_op(l, 0), type);
    int32_t t = lower_temp(l, 8), src[3];
    for (uint32_t k = 0; k < 3; k++) {
        src[k] = lower_src(l, lower_op(l, k + 1), type);
        if (ftz)
            src[k] = flushed(l, src[k], type);
    }
    for (int k = 0; k < 2; k++)
        lower_put(l, k ? d : t, k ? t : src[0], src[k + 1], 0, "%s%s_f32", l->inst->opcode,
                  nan ? "_NaN" : "");
    return true;
}

static bool multiply(lowering *l, bool mad) {
    const char *part = lower_one_of(l, "lo hi wide");
    bool sat = lower_has(l, "sat");
    ptx_type type = lower_type(l);
    bool wide = !strcmp(part, "wide"), lo = !strcmp(part, "lo"),
         bits24 = strchr(l->inst->opcode, '2');
    ptx_type result = wide ? type + 1 : type; /* s16 -> s32 -> s64 */
    const char *suffix = lo && !bits24 ? lower_unsigned(type) : lower_suffix(type);
    char base[32];
    snprintf(base, sizeof base, "%s%s_%s%s", mad ? "mad" : "mul", bits24 ? "24" : "", part,
             sat ? "_sat" : "");
    int32_t d = lower_dst(l, lower_op(l, 0), result);
    const ptx_operand *a = lower_op(l, 1), *b = lower_op(l, 2);
    if (!mad) {
        emit2(l, base, suffix, d, a, b, type, type);
        return true;
    }
    if (a->kind == PTX_OP_IMM) {
        const ptx_operand *swap = a;
        a = b;
        b = swap;
    }
    uint64_t imm = 0;
    int32_t pa = lower_src(l, a, type), pc = lower_src(l, lower_op(l, 3), result), pb = 0;
    char name[48];
    snprintf(name, sizeof name, "%s_%s_bi", base, suffix);
    bool immediate = lower_imm(l, b, type, &imm) && sg_handler_find(name);
    if (!immediate) {
        pb = lower_src(l, b, type);
        snprintf(name, sizeof name, "%s_%s", base, suffix);
    }
    lower_put(l, d, pa, pb, pc, "%s", name)->imm = immediate ? imm : 0;
    return true;
}

/* Lowers to a handler with fixed operand types: result, up to four sources, the handler's name. */
static WB_PRINTF(5, 6) bool fixed(lowering *l, ptx_type result, uint32_t n, const ptx_type *types,
                                  const char *format, ...) {
    char name[64];
    WB_FORMAT_INTO(name, format);
    int32_t d = lower_dst(l, lower_op(l, 0), result);
    int32_t src[4] = {0};
    for (uint32_t k = 0; k < n; k++)
        src[k] = lower_src(l, lower_op(l, k + 1), types[k]);
    lower_put(l, d, src[0], src[1], src[2], "%s", name)->e = src[3];
    return true;
}

/* Lowers instructions on the bytes or halves of a word. */
static bool packed(lowering *l) {
    const char *opcode = l->inst->opcode;
    if (ptx_op_is(l->inst, "prmt")) {
        const char *mode = lower_takes(l, "f4e b4e rc8 ecl ecr rc16");
        lower_type(l);
        return fixed(l, PTX_B32, 3, words, "prmt_%s%sb32", mode ? mode : "", mode ? "_" : "");
    }
    if (ptx_op_is(l->inst, "vabsdiff4")) { /* used by __vabsdiffu4 and __vsadu4 */
        bool sum = lower_has(l, "add");
        ptx_type type = lower_type(l);
        while (lower_type(l) == type)
            ;
        if (type != PTX_U32 && type != PTX_S32)
            lower_unknown(l);
        return fixed(l, PTX_U32, 3, words, "vabsdiff4_%s%s", lower_suffix(type), sum ? "_add" : "");
    }
    if (lower_among(opcode, "dp4a dp2a")) {
        const char *half = ptx_op_is(l->inst, "dp2a") ? lower_one_of(l, "lo hi") : "";
        const char *a = lower_suffix(lower_type(l)), *b = lower_suffix(lower_type(l));
        return fixed(l, PTX_U32, 3, words, "%s_%s%s%s_%s", opcode, half, *half ? "_" : "", a, b);
    }
    return false;
}

/* Lowers instructions with a mode: funnel shifts, masks, sign extensions. */
static bool shifts(lowering *l) {
    const char *opcode = l->inst->opcode;
    if (ptx_op_is(l->inst, "shf")) {
        const char *side = lower_one_of(l, "l r");
        lower_type(l);
        return fixed(l, PTX_B32, 3, words, "shf_%s_%s_b32", side, lower_one_of(l, "clamp wrap"));
    }
    if (lower_among(opcode, "bmsk szext")) {
        const char *wrap = lower_one_of(l, "clamp wrap");
        ptx_type type = lower_type(l);
        return fixed(l, PTX_U32, 2, words, "%s_%s_%s", opcode, wrap,
                     ptx_op_is(l->inst, "bmsk") ? "b32" : lower_suffix(type));
    }
    return false;
}

static bool bits(lowering *l) {
    const char *opcode = l->inst->opcode;
    if (ptx_op_is(l->inst, "lop3")) {
        uint64_t table;
        bool logic_or = lower_has(l, "or"), logic_and = lower_has(l, "and");
        if (lower_type(l) != PTX_B32 || logic_or || logic_and ||
            !lower_imm(l, lower_op(l, 4), PTX_B32, &table))
            lower_unknown(l);
        fixed(l, PTX_B32, 3, words, "lop3_b32");
        l->f->ops[l->f->n_ops - 1].imm = table;
        return true;
    }
    if (lower_among(opcode, "popc clz brev")) {
        ptx_type type = lower_type(l);
        return fixed(l, ptx_op_is(l->inst, "brev") ? type : PTX_U32, 1, &type, "%s_b%u", opcode,
                     8 * ptx_type_size(type));
    }
    if (ptx_op_is(l->inst, "bfind")) {
        bool shift = lower_has(l, "shiftamt");
        ptx_type type = lower_type(l);
        return fixed(l, PTX_U32, 1, &type, "bfind_%s%s", shift ? "shiftamt_" : "",
                     lower_suffix(type));
    }
    if (ptx_op_is(l->inst, "bfe")) {
        ptx_type type = lower_type(l);
        return fixed(l, type, 3, (ptx_type[]){type, PTX_U32, PTX_U32}, "bfe_%s",
                     lower_suffix(type));
    }
    if (ptx_op_is(l->inst, "bfi")) {
        ptx_type type = lower_type(l);
        return fixed(l, type, 4, (ptx_type[]){type, type, PTX_U32, PTX_U32}, "bfi_b%u",
                     8 * ptx_type_size(type));
    }
    if (ptx_op_is(l->inst, "fns")) {
        lower_type(l);
        return fixed(l, PTX_B32, 3, (ptx_type[]){PTX_B32, PTX_B32, PTX_S32}, "fns_b32");
    }
    return shifts(l) || packed(l);
}

static bool integer(lowering *l, ptx_type type) {
    const char *opcode = l->inst->opcode;
    const char *suffix = lower_among(opcode, "add sub and or xor not cnot shl")
                             ? lower_unsigned(type)
                             : lower_suffix(type);
    char base[32];
    snprintf(base, sizeof base, "%s", opcode);
    if (lower_has(l, "sat")) {
        snprintf(base, sizeof base, "%s_sat", opcode);
        suffix = lower_suffix(type);
    }
    if (lower_has(l, "relu"))
        snprintf(base, sizeof base, "%s_relu", opcode);
    if (lower_among(opcode, "neg abs not cnot")) {
        int32_t d = lower_dst(l, lower_op(l, 0), type);
        int32_t a = lower_src(l, lower_op(l, 1), type);
        lower_put(l, d, a, 0, 0, "%s_%s", base, suffix);
        return true;
    }
    if (lower_among(opcode, "add sub and or xor div rem min max shl shr")) {
        bool shift = ptx_op_is(l->inst, "shl") || ptx_op_is(l->inst, "shr");
        int32_t d = lower_dst(l, lower_op(l, 0), type);
        emit2(l, base, suffix, d, lower_op(l, 1), lower_op(l, 2), type, shift ? PTX_U32 : type);
        return true;
    }
    if (ptx_op_is(l->inst, "sad"))
        return fixed(l, type, 3, (ptx_type[]){type, type, type}, "sad_%s", lower_suffix(type));
    return false;
}

/* Lowers logic on predicates: and, or, xor, not. */
static bool predicates(lowering *l) {
    bool na, nb = false;
    bool unary = ptx_op_is(l->inst, "not");
    lower_type(l);
    int32_t a = lower_pred(l, lower_op(l, 1), &na);
    int32_t b = unary ? a : lower_pred(l, lower_op(l, 2), &nb);
    int32_t d = lower_pred_place(l, lower_op(l, 0)->reg);
    lower_put(l, d, a, b, 0, "pred_%s", unary ? "mov" : l->inst->opcode)->e =
        (na != unary ? 1 : 0) | (nb ? 2 : 0);
    return true;
}

/* Lowers add, min and max of pairs of 16-bit halves: __vmaxs2() and others. */
static bool halves(lowering *l) {
    const char *type = lower_takes(l, "u16x2 s16x2");
    return type && fixed(l, PTX_U32, 2, (ptx_type[]){PTX_U32, PTX_U32}, "%s_%s", l->inst->opcode,
                         ptx_op_is(l->inst, "add") ? "u16x2" : type);
}

bool lower_arith(lowering *l) {
    const char *opcode = l->inst->opcode;
    if (lower_among(opcode, "mul24 mad24"))
        return multiply(l, ptx_op_is(l->inst, "mad24"));
    if (lower_among(opcode, "addc subc madc") || ptx_modified(l->inst, "cc")) {
        carry(l);
        return true;
    }
    if (!lower_among(opcode, "add sub mul div rem min max neg abs and or xor not cnot shl shr sad "
                             "fma mad rcp sqrt rsqrt sin cos ex2 lg2 tanh copysign"))
        return bits(l);
    if (lower_among(opcode, "add min max") && halves(l))
        return true;
    ptx_type type = lower_type(l);
    l->taken = 0;
    if (type == PTX_NONE)
        lower_unknown(l);
    if (type == PTX_PRED && lower_among(opcode, "and or xor not"))
        return predicates(l);
    if ((ptx_op_is(l->inst, "mul") || ptx_op_is(l->inst, "mad")) && !lower_is_float(type))
        return multiply(l, ptx_op_is(l->inst, "mad"));
    lower_type(l);
    if (!lower_is_float(type)) {
        if (!integer(l, type))
            lower_unknown(l);
        return true;
    }
    if ((ptx_op_is(l->inst, "min") || ptx_op_is(l->inst, "max")) && l->inst->n_ops == 4)
        return extreme3(l, type);
    if (lower_among(opcode, "rcp rsqrt") && type == PTX_F64 && lower_has(l, "approx")) {
        lower_has(l, "ftz");
        return fixed(l, type, 1, &type, "%s_f64",
                     ptx_op_is(l->inst, "rcp") ? "rcp_approx" : "rsqrt");
    }
    if (ptx_op_is(l->inst, "fma") || ptx_op_is(l->inst, "mad"))
        return floating(l, "fma", type, 3);
    return floating(l, opcode, type,
                    lower_among(opcode, "add sub mul div min max copysign") ? 2 : 1);
}
