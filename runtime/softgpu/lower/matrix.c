/* matrix.c: mma.sync, wmma, ldmatrix and stmatrix. Checks shapes and types by the number of
 * registers in the instruction. */
#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/exec/mma.h"

static void shape(lowering *l, sg_matrix *x) {
    for (uint32_t k = 0; k < l->inst->n_mods; k++)
        if (sscanf(l->inst->mods[k], "m%un%uk%u", &x->m, &x->n, &x->k) == 3) {
            l->taken |= 1u << k;
            return;
        }
    lower_unknown(l);
}

static ptx_type register_type(ptx_type type) {
    return type == PTX_F64 ? PTX_F64 : PTX_B32;
}

/* Reads the registers of a fragment. exactly: they hold the whole matrix, and no more. */
static void fragment(lowering *l, sg_fragment *f, const ptx_operand *op, ptx_type type,
                     uint32_t rows, uint32_t cols, bool result, bool exactly) {
    static const ptx_type known[] = {PTX_S8,  PTX_U8,   PTX_E4M3, PTX_E5M2, PTX_S32,
                                     PTX_F16, PTX_BF16, PTX_TF32, PTX_F32,  PTX_F64};
    bool ok = false;
    for (size_t k = 0; k < WB_COUNT(known); k++)
        ok |= known[k] == type;
    f->type = type;
    f->rows = rows;
    f->cols = cols;
    f->n = op->kind == PTX_OP_VECTOR ? op->n_items : 1;
    uint32_t size = ptx_type_size(type), per = type == PTX_F64 ? 1 : 4 / (size ? size : 4);
    uint32_t have = f->n * per * SG_LANES, need = rows * cols;
    if (!ok || f->n > WB_COUNT(f->places) || need > 1024 || need % SG_LANES ||
        (exactly ? have != need : have < need))
        lower_unknown(l);
    for (uint32_t k = 0; k < f->n; k++) {
        const ptx_operand *reg = op->kind == PTX_OP_VECTOR ? &op->items[k] : op;
        if (result) {
            f->places[k] = lower_dst(l, reg, register_type(type));
            if (l->n_results > 0) /* it would have to be extended */
                lower_unknown(l);
        } else {
            f->places[k] = lower_src(l, reg, register_type(type));
        }
    }
}

static void emit(lowering *l, sg_matrix *x, int32_t address, int64_t offset) {
    int32_t all = lower_const(l, SG_ALL, 4);
    sg_op *op = lower_emit(l, "mma");
    op->a = address;
    op->offset = offset;
    op->aux = x;
    op->f = all;
    op->site = (uint8_t)(l->site++ % SG_SITES);
}

static void multiply(lowering *l, sg_matrix *x, bool wmma) {
    x->kind = wmma ? SG_WMMA_MMA : SG_MMA_SYNC;
    shape(l, x);
    x->saturate = lower_has(l, "satfinite");
    lower_has(l, "rn");
    bool row = lower_has(l, "row"), col = lower_has(l, "col");
    for (uint32_t k = 0; wmma && k < l->inst->n_mods; k++) /* two layouts, maybe the same */
        if (!strcmp(l->inst->mods[k], "row") || !strcmp(l->inst->mods[k], "col"))
            l->taken |= 1u << k;
    if (!wmma && (!row || !col))
        lower_unknown(l);
    ptx_type types[4];
    uint32_t n = 0;
    while (n < 4 && (types[n] = lower_type(l)) != PTX_NONE)
        n++;
    if (n == 2) { /* wmma.mma of f16 names only the results' types */
        types[3] = types[1];
        types[1] = types[2] = PTX_F16;
    } else if (n != 4) {
        lower_unknown(l);
    }
    if (!wmma && x->m == 8 && types[1] == PTX_F16)
        lower_refuse(
            l, _("mma.m8n8k4 of f16 was made for compute capability 7.0; use m16n8k8 or m16n8k16"));
    if (x->m == 0 || x->m > 32 || x->n == 0 || x->n > 32 || x->k == 0 || x->k > 32)
        lower_unknown(l);
    if (x->saturate && types[0] != PTX_S32)
        lower_unknown(l);
    fragment(l, &x->d, lower_op(l, 0), types[0], x->m, x->n, true, !wmma);
    fragment(l, &x->a, lower_op(l, 1), types[1], x->m, x->k, false, !wmma);
    fragment(l, &x->b, lower_op(l, 2), types[2], x->k, x->n, false, !wmma);
    fragment(l, &x->c, lower_op(l, 3), types[3], x->m, x->n, false, !wmma);
    emit(l, x, 0, 0);
}

static int32_t address(lowering *l, const ptx_operand *op, sg_matrix *x, int64_t *offset) {
    x->space = lower_space(l);
    x->wide_address = x->space != PTX_SPACE_SHARED;
    return lower_address(l, op, x->wide_address ? 8 : 4, offset);
}

static void tile(lowering *l, sg_matrix *x, bool load) {
    bool a = lower_has(l, "a"), b = lower_has(l, "b");
    int64_t offset;
    if (!a && !b && !lower_has(l, "c") && !lower_has(l, "d"))
        lower_unknown(l);
    x->kind = load ? SG_WMMA_LOAD : SG_WMMA_STORE;
    x->operand = a ? 'a' : b ? 'b' : 'c';
    shape(l, x);
    x->column_major = lower_has(l, "col");
    lower_has(l, "row");
    ptx_type type = lower_type(l);
    const ptx_operand *regs = lower_op(l, load ? 0 : 1), *addr = lower_op(l, load ? 1 : 0);
    fragment(l, &x->d, regs, type, b ? x->k : x->m, a ? x->k : x->n, load, false);
    int32_t at = address(l, addr, x, &offset);
    x->stride = l->inst->n_ops > 2 ? lower_src(l, lower_op(l, 2), PTX_U32) : -1;
    emit(l, x, at, offset);
}

static void rows(lowering *l, sg_matrix *x, bool load) {
    int64_t offset;
    x->kind = load ? SG_LDMATRIX : SG_STMATRIX;
    uint32_t n = lower_has(l, "x4") ? 4 : lower_has(l, "x2") ? 2 : lower_has(l, "x1") ? 1 : 0;
    x->transposed = lower_has(l, "trans");
    if (!n || !lower_has(l, "m8n8") || lower_type(l) != PTX_B16)
        lower_unknown(l);
    const ptx_operand *regs = lower_op(l, load ? 0 : 1), *addr = lower_op(l, load ? 1 : 0);
    fragment(l, &x->d, regs, PTX_F16, 8 * n, 8, load, true);
    int32_t at = address(l, addr, x, &offset);
    if (x->space == PTX_SPACE_GENERIC)
        lower_unknown(l);
    emit(l, x, at, offset);
}

bool lower_matrix(lowering *l) {
    bool mma = ptx_op_is(l->inst, "mma"), wmma = ptx_op_is(l->inst, "wmma"),
         load = ptx_op_is(l->inst, "ldmatrix"), store = ptx_op_is(l->inst, "stmatrix");
    if (!mma && !wmma && !load && !store)
        return false;
    sg_matrix *x = lower_own(l, sizeof *x);
    if (!lower_has(l, "sync") || !lower_has(l, "aligned"))
        lower_unknown(l);
    if (mma)
        multiply(l, x, false);
    else if (load || store)
        rows(l, x, load);
    else if (lower_has(l, "mma"))
        multiply(l, x, true);
    else if (lower_has(l, "load"))
        tile(l, x, true);
    else if (lower_has(l, "store"))
        tile(l, x, false);
    else
        lower_unknown(l);
    return true;
}
