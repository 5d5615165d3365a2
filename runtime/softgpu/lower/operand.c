/* operand.c: places of operands. A register gets its place in the frame at its first use. Constants
 * and special registers have their own places, which sg_frame_fill() fills. In PTX a register may
 * be wider than the instruction's type, so sources are narrowed and results extended here. */
#include "runtime/softgpu/lower/lower.h"

static int32_t place_new(lowering *l, uint32_t bytes) {
    uint32_t at = (l->frame + 63) & ~63u;
    if (at > (1u << 30))
        lower_refuse(l, _("the function has too many registers"));
    l->frame = at + bytes;
    return (int32_t)at;
}

/* Returns a place of a few bytes in a block of 64 bytes, whose next free place is *next. */
static int32_t from_chunk(lowering *l, uint32_t *next, uint32_t bytes) {
    if (*next % 64 == 0)
        *next = (uint32_t)place_new(l, 64);
    int32_t at = (int32_t)*next;
    *next += bytes;
    if (*next % 64 == 0)
        *next = 0;
    return at;
}

int32_t lower_pred_new(lowering *l) {
    return from_chunk(l, &l->pred_chunk, 4);
}

int32_t lower_slot_new(lowering *l) {
    return from_chunk(l, &l->slot_chunk, 8);
}

static uint32_t lane_bytes(ptx_type type) {
    return ptx_type_size(type) > 4 ? 8 : 4;
}

int32_t lower_reg_place(lowering *l, const ptx_var *reg) {
    int32_t *place = &l->reg_place[reg->index];
    if (reg->type == PTX_B128)
        lower_refuse(l, _("128-bit registers are not implemented; use two 64-bit ones"));
    if (*place >= 0)
        return *place;
    uint32_t bytes = lane_bytes(reg->type), list = lower_spare_list(l, reg);
    if (reg->type == PTX_PRED)
        *place = lower_pred_new(l);
    else if (l->last_use[reg->index] != UINT32_MAX && l->n_spare[list])
        *place = l->spare[list][--l->n_spare[list]];
    else if (l->affine[reg->index])
        *place = place_new(l, SG_AFFINE_BYTES + bytes * SG_LANES) + SG_AFFINE_BYTES;
    else
        *place = place_new(l, bytes * SG_LANES);
    return *place;
}

const ptx_operand *lower_op(lowering *l, uint32_t k) {
    if (k >= l->inst->n_ops)
        lower_refuse(l, _("it has %u operands; at least %u are needed"), l->inst->n_ops, k + 1);
    return &l->inst->ops[k];
}

int32_t lower_temp(lowering *l, uint32_t bytes) {
    (void)bytes; /* one pool of 8-byte lanes: temporaries live for one instruction */
    if (l->used_scratch == WB_COUNT(l->scratch))
        lower_refuse(l, _("it needs too many temporaries"));
    if (l->used_scratch == l->n_scratch)
        l->scratch[l->n_scratch++] = place_new(l, 8 * SG_LANES);
    return l->scratch[l->used_scratch++];
}

int32_t lower_temp_pred(lowering *l) {
    if (l->used_preds == WB_COUNT(l->preds))
        lower_refuse(l, _("it needs too many temporary predicates"));
    if (l->used_preds == l->n_preds)
        l->preds[l->n_preds++] = lower_pred_new(l);
    return l->preds[l->used_preds++];
}

int32_t lower_const(lowering *l, uint64_t value, uint32_t bytes) {
    sg_func *f = l->f;
    if (bytes == 4)
        value &= 0xffffffffu;
    for (uint32_t k = 0; k < f->n_consts; k++)
        if (f->consts[k].value == value && f->consts[k].bytes == bytes)
            return (int32_t)f->consts[k].place;
    sg_const *one = lower_need(l, WB_PUSH(f->consts, f->n_consts));
    int32_t place = place_new(l, bytes * SG_LANES);
    *one = (sg_const){(uint32_t)place, bytes, value};
    return place;
}

int32_t lower_special(lowering *l, ptx_special kind, uint32_t bytes) {
    sg_func *f = l->f;
    for (uint32_t k = 0; k < f->n_specials; k++)
        if (f->specials[k].kind == kind && f->specials[k].bytes == bytes)
            return (int32_t)f->specials[k].place;
    lower_need(l, WB_PUSH(f->specials, f->n_specials));
    int32_t place = place_new(l, bytes * SG_LANES);
    uint32_t at = f->n_specials - 1;
    if (sg_special_per_block(kind)) {
        f->specials[at] = f->specials[f->n_block_specials];
        at = f->n_block_specials++;
    }
    f->specials[at] = (sg_special){(uint32_t)place, bytes, kind};
    return place;
}

bool lower_block_special(const ptx_operand *op) {
    return op->special <= PTX_ZERO && !sg_special_per_block(op->special);
}

static int32_t special(lowering *l, const ptx_operand *op, uint32_t bytes) {
    if (op->special <= PTX_ZERO)
        return lower_special(l, op->special, bytes);
    if (op->special == PTX_SPECIAL_REFUSED)
        lower_refuse(l, _("the special register %s is not implemented"), op->name);
    sg_op *clock = lower_emit(l, bytes == 8 ? "clock_64" : "clock_32");
    clock->mode = op->special == PTX_CLOCK_HIGH ? 32 : 0;
    return clock->d = lower_temp(l, bytes);
}

bool lower_imm(lowering *l, const ptx_operand *op, ptx_type type, uint64_t *bits) {
    (void)l;
    if (op->kind != PTX_OP_IMM)
        return false;
    *bits = ptx_literal(op->is_float, (uint64_t)op->imm, type);
    return true;
}

/* Returns the place of the address of a variable or function. */
static int32_t symbol(lowering *l, const ptx_operand *op, uint32_t bytes) {
    const ptx_var *v = op->var;
    if (op->function) {
        uint32_t index = sg_function_index(l->module, sg_function_defined(l->module, op->function));
        return lower_const(l, l->module->functions + index, bytes);
    }
    if (!v)
        lower_refuse(l, _("%s is not defined in this module; link the code that defines it"),
                     op->name ? op->name : "a symbol");
    uint32_t offset;
    switch (v->space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST: {
        const sg_symbol *s = sg_module_global(l->module, v);
        if (!s || !s->address)
            lower_refuse(
                l,
                _("the variable %s is declared but not defined in this module; link the code that "
                  "defines it"),
                v->name);
        return lower_const(l, (uint64_t)(uintptr_t)s->address + (uint64_t)op->imm, bytes);
    }
    case PTX_SPACE_SHARED:
        if (!sg_kernel_shared(l->kernel, v, &offset))
            lower_refuse(l, _("the shared variable %s has no place"), v->name);
        return lower_const(l, offset + (uint64_t)op->imm, bytes);
    case PTX_SPACE_LOCAL:
    case PTX_SPACE_PARAM:
        break;
    default:
        lower_refuse(l, _("the address of %s cannot be taken"), v->name);
    }
    if (v->space == PTX_SPACE_PARAM && l->source->is_entry && v >= l->source->params &&
        v < l->source->params + l->source->n_params) {
        sg_op *e = lower_emit(l, "param_address");
        e->imm = l->source->param_offsets[v - l->source->params] + (uint64_t)op->imm;
        return e->d = lower_temp(l, 8);
    }
    int32_t place = lower_local_place(l, v);
    if (place < 0)
        lower_refuse(l, _("the variable %s has no place"), v->name);
    sg_op *e = lower_emit(l, "local_address");
    e->imm = (uint64_t)place + (uint64_t)op->imm;
    e->width = (uint8_t)bytes;
    return e->d = lower_temp(l, bytes);
}

int32_t lower_local_place(lowering *l, const ptx_var *v) {
    const ptx_function *s = l->source;
    for (uint32_t k = 0; k < s->n_locals; k++)
        if (s->locals[k] == v)
            return l->local_place[k];
    if (s->is_entry)
        return -1;
    if (v >= s->params && v < s->params + s->n_params)
        return (int32_t)l->f->param_places[v - s->params];
    if (v >= s->returns && v < s->returns + s->n_returns)
        return (int32_t)l->f->return_places[v - s->returns];
    return -1;
}

int32_t lower_src(lowering *l, const ptx_operand *op, ptx_type type) {
    uint32_t bytes = lane_bytes(type);
    switch (op->kind) {
    case PTX_OP_REG: {
        if (op->reg->type == PTX_PRED)
            lower_refuse(l, _("a predicate stands where a value of type .%s is needed"),
                         lower_suffix(type));
        int32_t place = lower_reg_place(l, op->reg);
        uint32_t have = lane_bytes(op->reg->type);
        if (l->affine[op->reg->index])
            lower_emit(l, have == 8 ? "spread_64" : "spread_32")->a = place;
        if (have == bytes)
            return place;
        const char *change = have == 8               ? "x_64_32"
                             : lower_is_signed(type) ? "x_s32_64"
                                                     : "x_u32_64";
        return lower_put(l, lower_temp(l, bytes), place, 0, 0, "%s", change)->d;
    }
    case PTX_OP_IMM:
        return lower_const(l, ptx_literal(op->is_float, (uint64_t)op->imm, type), bytes);
    case PTX_OP_SPECIAL:
        return special(l, op, bytes);
    case PTX_OP_SYMBOL:
    case PTX_OP_CALLEE:
        return symbol(l, op, bytes);
    default:
        lower_refuse(l, _("an operand of this kind is not implemented here"));
    }
}

int32_t lower_pred_place(lowering *l, const ptx_var *reg) {
    if (!reg || reg->type != PTX_PRED)
        lower_refuse(l, _("%s is no predicate"), reg ? reg->name : _("an operand"));
    return lower_reg_place(l, reg);
}

int32_t lower_pred(lowering *l, const ptx_operand *op, bool *negated) {
    *negated = op->negated;
    if (op->kind == PTX_OP_IMM) { /* a constant predicate */
        sg_op *e = lower_emit(l, "pred_set");
        e->imm = op->imm ? SG_ALL : 0;
        return e->d = lower_temp_pred(l);
    }
    if (op->kind != PTX_OP_REG)
        lower_refuse(l, _("a predicate is needed"));
    return lower_pred_place(l, op->reg);
}

int32_t lower_dst(lowering *l, const ptx_operand *op, ptx_type type) {
    uint32_t bytes = lane_bytes(type);
    if (op->kind == PTX_OP_NONE) /* `_` */
        return lower_temp(l, bytes);
    if (op->kind != PTX_OP_REG)
        lower_refuse(l, _("the result must go to a register"));
    uint32_t room = ptx_type_size(op->reg->type), size = ptx_type_size(type);
    if (op->reg->type == PTX_PRED || room < (size > 4 ? 8u : 1u))
        lower_refuse(l, _("the register %s is too small for the result"), op->reg->name);
    int32_t place = lower_reg_place(l, op->reg);
    if (lane_bytes(op->reg->type) == bytes && (size >= 4 || room <= size || !lower_is_signed(type)))
        return place;
    if (l->n_results == WB_COUNT(l->results))
        lower_unknown(l);
    struct lower_result *r = &l->results[l->n_results++];
    *r = (struct lower_result){lower_temp(l, bytes), place, type, room};
    return r->from;
}

void lower_finish(lowering *l) {
    for (uint32_t k = 0; k < l->n_results; k++) {
        const struct lower_result *r = &l->results[k];
        uint32_t size = ptx_type_size(r->type);
        lower_put(l, r->to, r->from, 0, 0, "x_%c%u_%u", lower_is_signed(r->type) ? 's' : 'u',
                  8 * (size > 4 ? 4 : size), r->bytes == 8 ? 64 : 32);
    }
    l->n_results = 0;
}

/* ---- types ---------------------------------------------------------------------------------- */

bool lower_is_float(ptx_type type) {
    return type >= PTX_F16 && type <= PTX_F64;
}
bool lower_is_signed(ptx_type type) {
    return type >= PTX_S8 && type <= PTX_S64;
}
const char *lower_unsigned(ptx_type type) {
    static const char *const names[] = {"u8", "u16", "?", "u32", "?", "?", "?", "u64"};
    uint32_t size = ptx_type_size(type);
    return size >= 1 && size <= 8 ? names[size - 1] : "?";
}
const char *lower_suffix(ptx_type type) {
    static const char *const names[] = {"",     "u8",    "u16",  "u32",    "u64",   "b128", "u8",
                                        "u16",  "u32",   "u64",  "s8",     "s16",   "s32",  "s64",
                                        "f16",  "f16x2", "bf16", "bf16x2", "tf32",  "f32",  "f64",
                                        "pred", "e4m3",  "e5m2", "e4m3x2", "e5m2x2"};
    return names[type];
}
