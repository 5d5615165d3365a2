/* compare.c: setp, set, selp, slct, testp and the conversions (cvt). */
#include "runtime/softgpu/lower/lower.h"

/* Emits a handler of one operand into a temporary of `bytes`-byte lanes. Returns its place. */
#define TEMP(bytes, a, ...) (lower_put(l, lower_temp(l, bytes), a, 0, 0, __VA_ARGS__)->d)

/* Returns a 16-bit float source as f32. */
static int32_t widened(lowering *l, int32_t place, ptx_type type) {
    return TEMP(4, place, "cvt_f32_%s", lower_suffix(type));
}

static const char *comparison(lowering *l) {
    return lower_one_of(l, "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan");
}

/* Compares operands first and first+1 into the predicate at d. */
static void compare(lowering *l, const char *cmp, ptx_type type, uint32_t first, int32_t d) {
    char name[48];
    bool ftz = lower_has(l, "ftz"), is_float = lower_is_float(type);
    if (type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_NONE)
        lower_unknown(l);
    const char *plain = !strcmp(cmp, "lo")   ? "lt"
                        : !strcmp(cmp, "ls") ? "le"
                        : !strcmp(cmp, "hi") ? "gt"
                        : !strcmp(cmp, "hs") ? "ge"
                                             : cmp;
    bool equality = !strcmp(plain, "eq") || !strcmp(plain, "ne");
    const char *suffix = is_float   ? lower_suffix(type)
                         : equality ? lower_unsigned(type)
                                    : lower_suffix(type);
    const ptx_operand *a = lower_op(l, first), *b = lower_op(l, first + 1);
    uint64_t imm = 0;
    bool half = type == PTX_F16 || type == PTX_BF16,
         record = lower_affine_comparison(l, first, type);
    bool immediate = !half && !ftz && lower_imm(l, b, type, &imm);
    int32_t pa = record ? lower_reg_place(l, a->reg) : lower_src(l, a, type), pb = 0;
    if (!immediate)
        pb = record ? lower_reg_place(l, b->reg) : lower_src(l, b, type);
    if (half) {
        pa = widened(l, pa, type);
        pb = widened(l, pb, type);
        suffix = "f32";
    } else if (ftz) {
        pa = TEMP(4, pa, "ftz_f32");
        pb = TEMP(4, pb, "ftz_f32");
    }
    snprintf(name, sizeof name, "%ssetp_%s_%s%s", record ? "affine_" : "", plain, suffix,
             immediate ? "_i" : "");
    lower_put(l, d, pa, pb, 0, "%s", name)->imm = immediate ? imm : 0;
    l->compare_branch = sg_handler_find(strncat(name, "_br", 4));
    l->compare_end = l->f->n_ops;
}

/* Compares operands first and first+1, pairs of 16-bit floats, into d[0] (lower halves) and
 * d[1]. */
static void compare_pair(lowering *l, const char *cmp, ptx_type type, uint32_t first,
                         const int32_t d[2]) {
    ptx_type half = type == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    int32_t from[2] = {lower_src(l, lower_op(l, first), type),
                       lower_src(l, lower_op(l, first + 1), type)};
    bool ftz = lower_has(l, "ftz");
    for (int k = 0; k < 2; k++) {
        int32_t wide[2];
        for (int i = 0; i < 2; i++) {
            int32_t t = k ? TEMP(4, from[i], "high_16") : TEMP(4, from[i], "x_u16_32");
            if (ftz && half == PTX_F16)
                lower_put(l, t, t, 0, 0, "ftz_f16");
            wide[i] = widened(l, t, half);
        }
        lower_put(l, d[k], wide[0], wide[1], 0, "setp_%s_f32", cmp);
    }
}

static bool is_pair(ptx_type type) {
    return type == PTX_F16X2 || type == PTX_BF16X2;
}

static void combine(lowering *l, const char *how, int32_t d, int32_t raw, bool invert,
                    const ptx_operand *with) {
    bool negated = false;
    int32_t b = how ? lower_pred(l, with, &negated) : raw;
    lower_put(l, d, raw, b, 0, "pred_%s", how ? how : "mov")->e =
        (invert ? 1 : 0) | (negated ? 2 : 0);
}

static bool set_predicate(lowering *l) {
    const char *cmp = comparison(l), *how = lower_takes(l, "and or xor");
    ptx_type type = lower_type(l);
    const ptx_operand *dst = lower_op(l, 0), *with = how ? lower_op(l, 3) : NULL;
    bool pair = dst->kind == PTX_OP_PAIR;
    const ptx_operand *p = pair ? &dst->items[0] : dst, *q = pair ? &dst->items[1] : NULL;
    if (is_pair(type)) { /* p gets the lower halves' result, q the upper ones' */
        int32_t raw[2] = {lower_temp_pred(l), lower_temp_pred(l)};
        compare_pair(l, cmp, type, 1, raw);
        combine(l, how, raw[0], raw[0], false, with);
        combine(l, how, raw[1], raw[1], false, with);
        if (p->kind == PTX_OP_REG)
            combine(l, NULL, lower_pred_place(l, p->reg), raw[0], false, NULL);
        if (q && q->kind == PTX_OP_REG)
            combine(l, NULL, lower_pred_place(l, q->reg), raw[1], false, NULL);
        return true;
    }
    if (!pair && !how) {
        compare(l, cmp, type, 1, lower_pred_place(l, p->reg));
        return true;
    }
    int32_t raw = lower_temp_pred(l), tp = lower_temp_pred(l);
    compare(l, cmp, type, 1, raw);
    combine(l, how, tp, raw, false, with);
    if (q && q->kind == PTX_OP_REG)
        combine(l, how, lower_pred_place(l, q->reg), raw, true, with);
    if (p->kind == PTX_OP_REG)
        combine(l, NULL, lower_pred_place(l, p->reg), tp, false, NULL);
    return true;
}

static int32_t select_value(lowering *l, int32_t pred, uint64_t yes) {
    int32_t t = lower_temp(l, 4), a = lower_const(l, yes, 4), b = lower_const(l, 0, 4);
    return lower_put(l, t, a, b, pred, "sel_u32")->d;
}

/* set.CMP.dtype.f16x2: each half becomes all ones, or 1.0, if true for its halves. */
static void set_pair(lowering *l, const char *cmp, const char *how, ptx_type to, ptx_type from) {
    if (to != PTX_U32 && to != PTX_S32 && to != from)
        lower_unknown(l);
    uint64_t one = to == PTX_F16X2 ? 0x3c00 : to == PTX_BF16X2 ? 0x3f80 : 0xffff;
    int32_t p[2] = {lower_temp_pred(l), lower_temp_pred(l)}, part[2];
    compare_pair(l, cmp, from, 1, p);
    for (int k = 0; k < 2; k++) {
        if (how)
            combine(l, how, p[k], p[k], false, lower_op(l, 3));
        part[k] = select_value(l, p[k], one);
    }
    int32_t d = lower_dst(l, lower_op(l, 0), PTX_U32);
    lower_put(l, d, part[0], part[1], 0, "pack_2x16");
}

/* set.CMP.dtype.stype: all ones (or 1.0) if true. */
static bool set_value(lowering *l) {
    const char *cmp = comparison(l), *how = lower_takes(l, "and or xor");
    ptx_type to = lower_type(l), from = lower_type(l);
    if (is_pair(from)) {
        set_pair(l, cmp, how, to, from);
        return true;
    }
    int32_t p = lower_temp_pred(l);
    compare(l, cmp, from, 1, p);
    if (how)
        combine(l, how, p, p, false, lower_op(l, 3));
    if (to != PTX_F32 && to != PTX_U32 && to != PTX_S32 && to != PTX_U16 && to != PTX_S16 &&
        to != PTX_F16 && to != PTX_BF16)
        lower_unknown(l);
    uint64_t one = to == PTX_F32    ? 0x3f800000u
                   : to == PTX_F16  ? 0x3c00u
                   : to == PTX_BF16 ? 0x3f80u
                                    : 0xffffffffu;
    int32_t d = lower_dst(l, lower_op(l, 0), to);
    int32_t value = select_value(l, p, one);
    lower_put(l, d, value, 0, 0, "mov_u32");
    return true;
}

bool lower_compare(lowering *l) {
    if (ptx_op_is(l->inst, "setp"))
        return set_predicate(l);
    if (ptx_op_is(l->inst, "set"))
        return set_value(l);
    if (ptx_op_is(l->inst, "selp")) {
        ptx_type type = lower_type(l);
        bool negated;
        int32_t d = lower_dst(l, lower_op(l, 0), type);
        int32_t a = lower_src(l, lower_op(l, 1), type), b = lower_src(l, lower_op(l, 2), type);
        int32_t p = lower_pred(l, lower_op(l, 3), &negated);
        sg_op *op = lower_put(l, d, a, b, p, "sel_u%d", ptx_type_size(type) == 8 ? 64 : 32);
        op->flags |= negated ? SG_F_NEGATE : 0;
        return true;
    }
    if (ptx_op_is(l->inst, "slct")) {
        bool ftz = lower_has(l, "ftz"); /* flushing keeps the sign: only -0 changes */
        ptx_type type = lower_type(l), by = lower_type(l);
        int32_t d = lower_dst(l, lower_op(l, 0), type);
        int32_t a = lower_src(l, lower_op(l, 1), type), b = lower_src(l, lower_op(l, 2), type);
        int32_t c = lower_src(l, lower_op(l, 3), by);
        if (ftz)
            c = TEMP(4, c, "ftz_f32");
        lower_put(l, d, a, b, c, "slct_%s_%s", lower_unsigned(type), lower_suffix(by));
        return true;
    }
    if (ptx_op_is(l->inst, "testp")) {
        const char *kind = lower_one_of(l, "finite infinite number notanumber normal subnormal");
        ptx_type type = lower_type(l);
        int32_t a = lower_src(l, lower_op(l, 1), type);
        lower_put(l, lower_pred_place(l, lower_op(l, 0)->reg), a, a, 0, "testp_%s_%s", kind,
                  lower_suffix(type));
        return true;
    }
    return false;
}

/* ---- cvt ------------------------------------------------------------------------------------ */

static ptx_type sign_type(bool is_signed, uint32_t bytes) {
    static const ptx_type types[2][4] = {{PTX_U8, PTX_U16, PTX_U32, PTX_U64},
                                         {PTX_S8, PTX_S16, PTX_S32, PTX_S64}};
    return types[is_signed][bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
}

/* Returns an integer source as a 32- or 64-bit value of its own signedness. */
static int32_t integer_source(lowering *l, ptx_type from) {
    int32_t a = lower_src(l, lower_op(l, 1), from);
    uint32_t size = ptx_type_size(from);
    if (size >= 4)
        return a;
    return TEMP(4, a, "x_%c%u_32", lower_is_signed(from) ? 's' : 'u', 8 * size);
}

/* Stores the value at place (32 or 64 bits, by `wide` and `is_signed`) in the destination: the bits
 * of type `to`, extended to the register's width as PTX requires. */
static void integer_result(lowering *l, int32_t place, bool wide, bool is_signed, ptx_type to) {
    const ptx_operand *dst = lower_op(l, 0);
    uint32_t size = ptx_type_size(to);
    if (size == 8) {
        int32_t d = lower_dst(l, dst, to);
        lower_put(l, d, place, 0, 0, "%s", wide ? "mov_u64" : is_signed ? "x_s32_64" : "x_u32_64");
        return;
    }
    if (wide)
        place = TEMP(4, place, "x_64_32");
    bool wide_register = dst->kind == PTX_OP_REG && ptx_type_size(dst->reg->type) == 8;
    int32_t d =
        lower_dst(l, dst,
                  wide_register                                                   ? PTX_U64
                  : PTX_U32 == to || to == PTX_S32                                ? to
                  : dst->kind == PTX_OP_REG && ptx_type_size(dst->reg->type) == 4 ? PTX_U32
                                                                                  : PTX_U16);
    if (size == 4 && !wide_register)
        lower_put(l, d, place, 0, 0, "mov_u32");
    else
        lower_put(l, d, place, 0, 0, "x_%c%u_%u", lower_is_signed(to) ? 's' : 'u', 8 * size,
                  wide_register ? 64 : 32);
}

static void integer_to_integer(lowering *l, ptx_type to, ptx_type from, bool sat) {
    bool wide = ptx_type_size(from) == 8, is_signed = lower_is_signed(from);
    int32_t a = integer_source(l, from);
    if (sat) {
        char name[32];
        snprintf(name, sizeof name, "sat_%s_%s", lower_suffix(sign_type(is_signed, wide ? 8 : 4)),
                 lower_suffix(to));
        if (sg_handler_find(name)) /* else every value of the source fits */
            a = TEMP(8, a, "%s", name);
    }
    integer_result(l, a, wide, is_signed, to);
}

static const char *integer_rounding(lowering *l) {
    return lower_has(l, "rni")   ? "rint"
           : lower_has(l, "rmi") ? "floor"
           : lower_has(l, "rpi") ? "ceil"
           : lower_has(l, "rzi") ? "trunc"
                                 : NULL;
}

/* Returns a float source as f32 or f64, and sets *type to that. */
static int32_t float_source(lowering *l, ptx_type from, bool ftz, ptx_type *type) {
    int32_t a = lower_src(l, lower_op(l, 1), from);
    *type = from == PTX_F64 ? PTX_F64 : PTX_F32;
    if (from == PTX_F16 || from == PTX_BF16)
        return widened(l, a, from);
    return ftz && from == PTX_F32 ? TEMP(4, a, "ftz_f32") : a;
}

static void float_to_integer(lowering *l, ptx_type to, ptx_type from, bool ftz) {
    const char *how = integer_rounding(l);
    ptx_type type;
    int32_t a = float_source(l, from, ftz, &type);
    if (!how)
        lower_unknown(l);
    if (strcmp(how, "trunc"))
        a = TEMP(8, a, "%s_%s", how, lower_suffix(type));
    uint32_t size = ptx_type_size(to);
    bool is_signed = lower_is_signed(to);
    bool direct = size < 4 && !is_signed && type == PTX_F64; /* NaN's result depends on the type */
    ptx_type middle = size < 4 && !direct ? PTX_S32 : to;
    int32_t t = TEMP(8, a, "cvt_%s_%s", lower_suffix(middle), lower_suffix(type));
    if (size < 4 && !direct)
        lower_put(l, t, t, 0, 0, "sat_s32_%s", lower_suffix(to));
    integer_result(l, t, size == 8, is_signed, to);
}

static void integer_to_float(lowering *l, ptx_type to, ptx_type from, bool sat) {
    int mode = lower_rounding(l, SG_RN);
    bool wide = ptx_type_size(from) == 8, half = to == PTX_F16 || to == PTX_BF16;
    int32_t a = integer_source(l, from);
    const char *source = lower_suffix(sign_type(lower_is_signed(from), wide ? 8 : 4));
    int32_t d = lower_dst(l, lower_op(l, 0), to);
    if (half && mode != SG_RN)
        lower_unknown(l);
    if (half) { /* through f64, which is exact for 32 bits; 64 bits are rounded to odd first */
        int32_t t = TEMP(8, a, "cvt_f64_%s", source);
        lower_put(l, d, t, 0, 0, "cvt_%s_f64", lower_suffix(to));
    } else {
        bool exact = to == PTX_F64 && !wide;
        lower_put(l, d, a, a, a, "cvt_%s%s_%s", mode != SG_RN && !exact ? "mode_" : "",
                  lower_suffix(to), source)
            ->mode = (uint8_t)mode;
    }
    if (sat)
        lower_put(l, d, d, 0, 0, "sat_%s", lower_suffix(to));
}

static void float_to_float(lowering *l, ptx_type to, ptx_type from, bool sat, bool ftz) {
    const char *integral = integer_rounding(l);
    bool relu = lower_has(l, "relu"), rna = lower_has(l, "rna"), finite = lower_has(l, "satfinite");
    int mode = lower_rounding(l, SG_RN);
    int32_t d = lower_dst(l, lower_op(l, 0), to);
    if (finite || (rna && to != PTX_TF32) || (to == PTX_TF32 && !rna && mode != SG_RN))
        lower_unknown(l);
    if (to == PTX_F16X2 || to == PTX_BF16X2) { /* two f32 into a pair */
        if (from != PTX_F32 || mode != SG_RN)
            lower_unknown(l);
        int32_t a = lower_src(l, lower_op(l, 1), from), b = lower_src(l, lower_op(l, 2), from);
        lower_put(l, d, a, b, 0, "cvt_%s_f32", lower_suffix(to));
    } else if (to == from) {
        ptx_type type;
        int32_t a = float_source(l, from, ftz, &type);
        if (integral)
            a = lower_put(l, type == to ? d : lower_temp(l, 8), a, 0, 0, "%s_%s", integral,
                          lower_suffix(type))
                    ->d;
        if (type != to)
            lower_put(l, d, a, 0, 0, "cvt_%s_%s", lower_suffix(to), lower_suffix(type));
        else if (a != d)
            lower_put(l, d, a, 0, 0, "mov_u%d", to == PTX_F64 ? 64 : 32);
    } else {
        int32_t a = lower_src(l, lower_op(l, 1), from);
        bool widens = ptx_type_size(to) > ptx_type_size(from);
        if (ftz && from == PTX_F32)
            a = TEMP(4, a, "ftz_f32");
        if ((from == PTX_F16 || from == PTX_BF16) && !widens) { /* between f16 and bf16 */
            a = widened(l, a, from);
            from = PTX_F32;
        }
        lower_put(l, d, a, a, a, "cvt_%s%s_%s", mode != SG_RN && !widens ? "mode_" : "",
                  lower_suffix(to), lower_suffix(from))
            ->mode = (uint8_t)mode;
    }
    if (ftz && to == PTX_F32)
        lower_put(l, d, d, 0, 0, "ftz_f32");
    if (sat || relu) {
        if (relu && to == PTX_F32)
            lower_unknown(l);
        lower_put(l, d, d, 0, 0, "%s_%s", sat ? "sat" : "relu", lower_suffix(to));
    }
}

static bool is_fp8(ptx_type type) {
    return type == PTX_E4M3X2 || type == PTX_E5M2X2;
}

/* Converts a pair of floats to a pair of fp8 numbers, or back to a pair of halves. */
static void convert_fp8(lowering *l, ptx_type to, ptx_type from) {
    bool relu = lower_has(l, "relu"), finite = lower_has(l, "satfinite"), back = is_fp8(from);
    if (lower_rounding(l, -1) != SG_RN || finite == back || (back && to != PTX_F16X2) ||
        (!back && from != PTX_F32 && from != PTX_F16X2))
        lower_unknown(l);
    int32_t d = lower_dst(l, lower_op(l, 0), back ? PTX_U32 : PTX_U16);
    int32_t a = lower_src(l, lower_op(l, 1), back ? PTX_U16 : from), b = a;
    if (from == PTX_F32)
        b = lower_src(l, lower_op(l, 2), from);
    if (relu && from == PTX_F32) {
        int32_t zero = lower_const(l, 0, 4);
        a = lower_put(l, lower_temp(l, 4), a, zero, 0, "max_NaN_f32")->d;
        b = lower_put(l, lower_temp(l, 4), b, zero, 0, "max_NaN_f32")->d;
    } else if (relu && !back) {
        a = b = TEMP(4, a, "relu_f16x2");
    }
    lower_put(l, d, a, b, 0, "cvt_%s_%s", lower_suffix(to), lower_suffix(from));
    if (relu && back)
        lower_put(l, d, d, 0, 0, "relu_f16x2");
}

bool lower_convert(lowering *l) {
    if (!ptx_op_is(l->inst, "cvt"))
        return false;
    bool sat = lower_has(l, "sat"), ftz = lower_has(l, "ftz");
    ptx_type to = lower_type(l), from = lower_type(l);
    if (to == PTX_NONE || from == PTX_NONE)
        lower_unknown(l);
    if (is_fp8(to) || is_fp8(from))
        convert_fp8(l, to, from);
    else if (!lower_is_float(to) && !lower_is_float(from))
        integer_to_integer(l, to, from, sat);
    else if (!lower_is_float(to))
        float_to_integer(l, to, from, ftz);
    else if (!lower_is_float(from))
        integer_to_float(l, to, from, sat);
    else
        float_to_float(l, to, from, sat, ftz);
    return true;
}
