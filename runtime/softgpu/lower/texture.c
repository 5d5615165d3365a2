/* texture.c: tex, tld4, suld and sust. A geometry such as .a2d names the dimensions; its
 * coordinates follow the layer in one vector. */
#include "runtime/softgpu/exec/texture.h"
#include "runtime/softgpu/lower/lower.h"

static int32_t place_of(lowering *l, const ptx_operand *vector, uint32_t k, ptx_type type) {
    if (vector->kind != PTX_OP_VECTOR)
        return k ? -1 : lower_src(l, vector, type);
    return k < vector->n_items ? lower_src(l, &vector->items[k], type) : -1;
}

static const struct geometry {
    const char *name;
    uint8_t dims, coordinates;
    bool layered, cube;
} geometries[] = {{"1d", 1, 1, 0, 0},   {"2d", 2, 2, 0, 0},  {"3d", 3, 3, 0, 0},
                  {"a1d", 1, 1, 1, 0},  {"a2d", 2, 2, 1, 0}, {"cube", 2, 3, 0, 1},
                  {"acube", 2, 3, 1, 1}};

/* Sets the places of the object and its coordinates from [object, {coordinates}]. */
static void target(lowering *l, sg_texture_op *o, const ptx_operand *op, ptx_type type,
                   int64_t *offset) {
    const struct geometry *g = NULL;
    for (size_t k = 0; k < WB_COUNT(geometries); k++)
        g = lower_has(l, geometries[k].name) ? &geometries[k] : g;
    if (!g || op->kind != PTX_OP_ADDR || op->n_items != 1)
        lower_unknown(l);
    o->dims = g->dims;
    o->layered = g->layered;
    o->cube = g->cube;
    o->whole = type == PTX_S32;
    o->object = lower_address(l, op, 8, offset);
    o->layer = g->layered ? place_of(l, &op->items[0], 0, PTX_U32) : -1;
    for (uint32_t k = 0; k < 3; k++) {
        o->at[k] = k < g->coordinates ? place_of(l, &op->items[0], k + g->layered, type) : -1;
        if (k < g->coordinates && o->at[k] < 0)
            lower_unknown(l);
    }
}

static sg_texture_op *new_op(lowering *l, void (*run)(sg_warp *, const sg_op *, char *)) {
    sg_texture_op *o = lower_own(l, sizeof *o);
    *o = (sg_texture_op){.run = run, .values = {-1, -1, -1, -1}, .gathers = -1, .resident = -1};
    return o;
}

/* Sets the places of up to four registers that the op writes. */
static void results(lowering *l, sg_texture_op *o, const ptx_operand *to, ptx_type type) {
    uint32_t n = to->kind == PTX_OP_VECTOR ? to->n_items : 1;
    if (n > 4)
        lower_unknown(l);
    for (uint32_t k = 0; k < n; k++) {
        const ptx_operand *reg = to->kind == PTX_OP_VECTOR ? &to->items[k] : to;
        if (reg->kind == PTX_OP_REG)
            o->values[k] = lower_dst(l, reg, lower_register_type(reg, type));
    }
}

static bool emit(lowering *l, const sg_texture_op *o, int64_t offset) {
    sg_op *op = lower_emit(l, "builtin");
    op->aux = o;
    op->offset = offset;
    op->site = (uint8_t)(l->site++ % SG_SITES);
    return true;
}

/* Operands: {four results}[|predicate], [texture, {coordinates}] [, level or two slopes]. Textures
 * have one level, so those change nothing. */
static bool fetch(lowering *l, bool gathers) {
    static const char *const channels[] = {"r", "g", "b", "a"};
    sg_texture_op *o = new_op(l, sg_texture_fetch);
    if (gathers)
        o->gathers = lower_index(l, channels, WB_COUNT(channels));
    bool level = lower_has(l, "level"), slopes = lower_has(l, "grad");
    int64_t offset;
    if (!lower_has(l, "v4") || l->inst->n_ops != 2u + level + 2 * slopes)
        lower_unknown(l);
    ptx_type to = lower_type(l), from = lower_type(l);
    target(l, o, lower_op(l, 1), from, &offset);
    if ((to != PTX_F32 && to != PTX_S32 && to != PTX_U32) || (gathers && o->dims != 2) ||
        (from != PTX_F32 && from != PTX_S32))
        lower_unknown(l);
    const ptx_operand *first = lower_op(l, 0);
    if (first->kind == PTX_OP_PAIR && first->items[1].reg)
        o->resident = lower_pred_place(l, first->items[1].reg);
    results(l, o, first->kind == PTX_OP_PAIR ? &first->items[0] : first, to);
    return emit(l, o, offset);
}

/* Operands: values, [surface, {coordinates}]; sust has them the other way round */
static bool surface(lowering *l, bool store) {
    static const char *const boundaries[] = {"trap", "clamp", "zero"};
    sg_texture_op *o = new_op(l, sg_surface_access);
    int64_t offset;
    if (!lower_has(l, "b"))
        lower_unknown(l);
    lower_takes(l, "ca cg cs cv wb wt");
    o->n = lower_has(l, "v2") ? 2 : lower_has(l, "v4") ? 4 : 1;
    ptx_type type = lower_type(l);
    o->bytes = ptx_type_size(type);
    o->boundary = (enum sg_boundary)lower_index(l, boundaries, WB_COUNT(boundaries));
    o->store = store;
    if (type == PTX_NONE || o->n * o->bytes > 16)
        lower_unknown(l);
    target(l, o, lower_op(l, !store), PTX_S32, &offset);
    o->at[2] = o->layered ? o->layer : o->at[2];
    const ptx_operand *values = lower_op(l, store);
    if (!store)
        results(l, o, values, type);
    for (uint32_t k = 0; store && k < o->n; k++)
        if ((o->values[k] = place_of(l, values, k, type)) < 0)
            lower_unknown(l);
    if (store)
        lower_wrote(l);
    return emit(l, o, offset);
}

bool lower_texture(lowering *l) {
    if (ptx_op_is(l->inst, "tex") || ptx_op_is(l->inst, "tld4"))
        return fetch(l, ptx_op_is(l->inst, "tld4"));
    if (ptx_op_is(l->inst, "suld") || ptx_op_is(l->inst, "sust"))
        return surface(l, ptx_op_is(l->inst, "sust"));
    return false;
}
