/* memory.c: loads, stores, moves, addresses, asynchronous copies and fences. */
#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/trace/trace.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/trace/waits.h"

/* ---- moves ---------------------------------------------------------------------------------- */

static void move(lowering *l, int32_t d, int32_t a, uint32_t bytes) {
    lower_put(l, d, a, 0, 0, "mov_u%d", bytes == 8 ? 64 : 32);
}

/* By bytes: the types of a register's parts. */
static const ptx_type part_types[] = {PTX_NONE, PTX_B8, PTX_B16, PTX_NONE, PTX_B32};

/* Lowers mov.b64 {a, b}, d and back: the parts of a register, lowest first. */
static void unpack(lowering *l, const ptx_operand *parts, ptx_type type) {
    uint32_t n = parts->n_items, part = ptx_type_size(type) / n;
    int32_t from = lower_src(l, lower_op(l, 1), type), copy = lower_temp(l, 8);
    if (part > 4 || part_types[part] == PTX_NONE || n * part != ptx_type_size(type))
        lower_unknown(l);
    move(l, copy, from, ptx_type_size(type) == 8 ? 8 : 4);
    for (uint32_t k = 0; k < n; k++) {
        if (parts->items[k].kind == PTX_OP_NONE)
            continue;
        int32_t d = lower_dst(l, &parts->items[k], part_types[part]);
        int32_t word = copy;
        uint32_t at = k * part;
        if (ptx_type_size(type) == 8)
            word = lower_put(l, lower_temp(l, 4), copy, 0, 0, at >= 4 ? "high_32" : "x_64_32")->d;
        uint32_t shift = 8 * (at & 3);
        lower_put(l, d, word, 0, 0, shift ? "shr_u32_i" : "mov_u32")->imm = shift;
        lower_finish(l);
        l->used_scratch = l->used_scratch > 18 ? 18 : l->used_scratch;
    }
}

static void pack(lowering *l, const ptx_operand *parts, ptx_type type) {
    uint32_t n = parts->n_items, part = ptx_type_size(type) / n, width = part;
    int32_t places[8];
    if (part > 4 || n > 8 || part_types[part] == PTX_NONE || n * part != ptx_type_size(type))
        lower_unknown(l);
    for (uint32_t k = 0; k < n; k++)
        places[k] = lower_src(l, &parts->items[k], part_types[part]);
    int32_t d = lower_dst(l, lower_op(l, 0), type);
    for (; n > 1; n /= 2, width *= 2)
        for (uint32_t k = 0; k < n; k += 2) {
            int32_t to = n == 2 ? d : lower_temp(l, 8);
            lower_put(l, to, places[k], places[k + 1], 0, "pack_2x%u", 8 * width);
            places[k / 2] = to;
        }
}

static bool mov(lowering *l) {
    ptx_type type = lower_type(l);
    const ptx_operand *dst = lower_op(l, 0), *src = lower_op(l, 1);
    uint64_t imm;
    if (type == PTX_PRED) {
        bool negated;
        int32_t a = lower_pred(l, src, &negated);
        lower_put(l, lower_pred_place(l, dst->reg), a, a, 0, "pred_mov")->e = negated;
        return true;
    }
    if (dst->kind == PTX_OP_VECTOR) {
        unpack(l, dst, type);
        return true;
    }
    if (src->kind == PTX_OP_VECTOR) {
        pack(l, src, type);
        return true;
    }
    int32_t d = lower_dst(l, dst, type);
    bool wide = ptx_type_size(type) == 8;
    if (lower_imm(l, src, type, &imm)) {
        sg_op *op = lower_emit(l, wide ? "movi_u64" : "movi_u32");
        op->d = d;
        op->imm = imm;
    } else {
        int32_t a = lower_src(l, src, type);
        move(l, d, a, wide ? 8 : 4);
    }
    return true;
}

/* Lowers cvta. Global and constant addresses are generic already. Others get their window. */
static bool cvta(lowering *l) {
    bool to = lower_has(l, "to");
    bool shared = lower_has(l, "shared") || lower_has(l, "shared::cta"),
         local = lower_has(l, "local");
    if (!shared && !local && !lower_has(l, "global") && !lower_has(l, "const") &&
        !lower_has(l, "param"))
        lower_unknown(l);
    ptx_type type = lower_type(l);
    bool wide = ptx_type_size(type) == 8;
    int32_t d = lower_dst(l, lower_op(l, 0), type);
    int32_t a = lower_src(l, lower_op(l, 1), type);
    if ((shared || local) && wide) {
        uint64_t window = shared ? SG_SHARED_WINDOW : SG_LOCAL_WINDOW;
        lower_put(l, d, a, 0, 0, to ? "and_u64_i" : "or_u64_i")->imm =
            to ? ~SG_WINDOW_MASK : window;
    } else if (shared || local) {
        lower_unknown(l);
    } else {
        move(l, d, a, wide ? 8 : 4);
    }
    return true;
}

static bool is_in_space(lowering *l) {
    uint64_t window = lower_has(l, "shared") || lower_has(l, "shared::cta") ? SG_SHARED_WINDOW
                      : lower_has(l, "local")                               ? SG_LOCAL_WINDOW
                      : lower_has(l, "global")                              ? 0
                                                                            : 1;
    if (window == 1)
        lower_unknown(l);
    int32_t a = lower_src(l, lower_op(l, 1), PTX_U64);
    lower_put(l, lower_pred_place(l, lower_op(l, 0)->reg), a, 0, 0, "in_space")->imm = window;
    return true;
}

bool lower_move(lowering *l) {
    if (ptx_op_is(l->inst, "mov"))
        return mov(l);
    if (ptx_op_is(l->inst, "cvta"))
        return cvta(l);
    if (ptx_op_is(l->inst, "isspacep"))
        return is_in_space(l);
    if (ptx_op_is(l->inst, "activemask")) {
        lower_type(l);
        lower_emit(l, "activemask")->d = lower_dst(l, lower_op(l, 0), PTX_B32);
        return true;
    }
    if (ptx_op_is(l->inst, "membar") || ptx_op_is(l->inst, "fence")) {
        if (lower_has(l, "proxy") && !lower_has(l, "async") && !lower_has(l, "async::generic") &&
            !lower_has(l, "alias"))
            lower_unknown(l); /* orders tensor maps */
        l->taken = ~0u;
        lower_emit(l, "fence");
        lower_race_sync(l, SG_RACE_RELEASE | SG_RACE_ACQUIRE |
                               (ptx_modified(l->inst, "cta") ? SG_RACE_BLOCK : 0));
        return true;
    }
    if (ptx_op_is(l->inst, "nanosleep")) {
        l->taken = ~0u;
        if (l->options & SG_TRACE) {
            int32_t place = lower_src(l, lower_op(l, 0), PTX_U32);
            sg_op *op = lower_emit(l, "builtin");
            op->aux = &sg_trace_sleep;
            op->a = place;
        }
        lower_emit(l, "yield");
        return true;
    }
    if (ptx_op_is(l->inst, "trap") || ptx_op_is(l->inst, "brkpt")) {
        lower_emit(l, ptx_op_is(l->inst, "trap") ? "trap" : "nop");
        return true;
    }
    /* Hints have no effect. Neither has griddepcontrol, which lets a kernel overlap with the
     * previous one: kernels run in the order of their launches. */
    if (lower_among(l->inst->opcode,
                    "prefetch prefetchu discard applypriority pmevent griddepcontrol")) {
        l->taken = ~0u;
        return true;
    }
    if (ptx_op_is(l->inst, "createpolicy")) {
        l->taken = ~0u;
        sg_op *op = lower_emit(l, "movi_u64");
        op->d = lower_dst(l, lower_op(l, 0), PTX_B64);
        return true;
    }
    return false;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* Returns the place of an address operand: a register with 4- or 8-byte lanes, or a constant. Sets
 * *offset. */
int32_t lower_address(lowering *l, const ptx_operand *op, uint32_t bytes, int64_t *offset) {
    *offset = 0;
    if (op->kind == PTX_OP_REG)
        return lower_src(l, op, bytes == 8 ? PTX_U64 : PTX_U32);
    if (op->kind != PTX_OP_ADDR)
        lower_refuse(l, _("an address is needed"));
    if (op->reg) {
        ptx_operand reg = {.kind = PTX_OP_REG, .reg = op->reg};
        *offset = op->imm;
        return lower_src(l, &reg, bytes == 8 ? PTX_U64 : PTX_U32);
    }
    if (op->var) {
        ptx_operand symbol = {
            .kind = PTX_OP_SYMBOL, .var = op->var, .name = op->name, .imm = op->imm};
        return lower_src(l, &symbol, bytes == 8 ? PTX_U64 : PTX_U32);
    }
    return lower_const(l, (uint64_t)op->imm, bytes);
}

ptx_space lower_space(lowering *l) {
    return lower_takes(l, "shared shared::cta") ? PTX_SPACE_SHARED
           : lower_has(l, "global")             ? PTX_SPACE_GLOBAL
                                                : PTX_SPACE_GENERIC;
}

/* Takes cache and ordering hints. Returns true if other threads may change the data meanwhile. */
static bool hints(lowering *l) {
    lower_takes(l,
                "weak ca cg cs lu cv wb wt nc L1::evict_normal L1::evict_unchanged "
                "L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first "
                "L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B unified L1 L2 "
                "evict_first evict_last evict_normal evict_unchanged no_allocate cache_hint 64B "
                "128B 256B cta gpu sys cluster");
    return lower_takes(l, "volatile relaxed acquire release mmio");
}

/* Returns s, l, p, g, or x for a generic address. */
static char space_of(lowering *l) {
    return lower_takes(l, "shared shared::cta")               ? 's'
           : lower_has(l, "local")                            ? 'l'
           : lower_takes(l, "param param::entry param::func") ? 'p'
           : lower_takes(l, "global const")                   ? 'g'
                                                              : 'x';
}

/* Lowers ld and st of parameters at fixed places: of the kernel (k), of functions (p). */
static bool fixed_place(lowering *l, const ptx_operand *op, uint64_t bytes, char *kind,
                        int64_t *offset) {
    const ptx_function *s = l->source;
    if (op->kind != PTX_OP_ADDR || !op->var || op->reg)
        return false;
    if (s->is_entry && op->var >= s->params && op->var < s->params + s->n_params) {
        uint64_t at = s->param_offsets[op->var - s->params] + (uint64_t)op->imm;
        if (at > s->param_bytes || s->param_bytes - at < bytes)
            lower_refuse(l, _("it reads beyond the kernel's parameters"));
        *kind = 'k';
        *offset = (int64_t)at;
        return true;
    }
    int32_t place = lower_local_place(l, op->var);
    if (place < 0)
        return false;
    uint64_t size = op->var->size ? op->var->size : ptx_type_size(op->var->type);
    if ((uint64_t)op->imm > size || size - (uint64_t)op->imm < bytes)
        lower_refuse(l, _("it lies outside of %s"), op->var->name);
    *kind = 'p';
    *offset = place + op->imm;
    return true;
}

static const char *element(ptx_type type) {
    static const char *const names[] = {"?", "u8", "u16", "?", "b32", "?", "?", "?", "b64"};
    uint32_t size = ptx_type_size(type);
    return type == PTX_S8 || type == PTX_S16 ? lower_suffix(type) : size <= 8 ? names[size] : "?";
}

ptx_type lower_register_type(const ptx_operand *op, ptx_type type) {
    uint32_t size = ptx_type_size(type);
    if (size >= 4 || op->kind != PTX_OP_REG)
        return type;
    if (ptx_type_size(op->reg->type) >= 4) /* ld_*_u8 and similar fill the 32-bit lane */
        return lower_is_signed(type) ? PTX_S32 : PTX_U32;
    return PTX_U16;
}

/* Emits the effects of .acquire and .release before the access. A strong load counts as an
 * acquire. */
static void synchronises(lowering *l, bool strong, bool load, char kind) {
    unsigned scope = kind == 's' || ptx_modified(l->inst, "cta") ? SG_RACE_BLOCK : 0;
    if (strong && load)
        lower_race_sync(l, SG_RACE_ACQUIRE | scope);
    else if (ptx_modified(l->inst, "release"))
        lower_race_sync(l, SG_RACE_RELEASE | scope);
}

static uint8_t race_mode(bool load, bool strong) {
    return (uint8_t)((strong ? SG_RACE_STRONG : 0) | (load ? 0 : SG_RACE_VALUES));
}

static void set_access(lowering *l, sg_op *op, uint32_t width) {
    op->width = (uint8_t)width;
    op->site = (uint8_t)(l->site++ % SG_SITES);
}

static void vector_access(lowering *l, bool load, bool strong, char kind, const ptx_operand *regs,
                          const ptx_operand *addr, ptx_type type) {
    uint32_t bytes = ptx_type_size(type), n = regs->n_items;
    int64_t offset = 0;
    sg_vector *v = lower_own(l, sizeof *v);
    if (n > 8 || bytes * n > 32)
        lower_unknown(l);
    v->n = n;
    v->bytes = bytes;
    v->is_signed = lower_is_signed(type);
    for (uint32_t k = 0; k < n; k++) {
        if (!load) {
            v->places[k] = lower_src(l, &regs->items[k], type);
        } else if (regs->items[k].kind == PTX_OP_NONE) {
            v->places[k] = -1;
        } else {
            v->places[k] =
                lower_dst(l, &regs->items[k], lower_register_type(&regs->items[k], type));
        }
    }
    char fixed = 0;
    if ((kind == 'p' || kind == 'k') && fixed_place(l, addr, bytes * n, &fixed, &offset)) {
        for (uint32_t k = 0; k < n; k++) { /* an element at a time */
            if (v->places[k] < 0)
                continue;
            sg_op *op = lower_emitf(l, "%s_%c_%s", load ? "ld" : "st", fixed, element(type));
            op->d = v->places[k];
            op->offset = offset + (int64_t)k * bytes;
            op->width = (uint8_t)bytes;
        }
        return;
    }
    if (kind == 'p')
        kind = l->source->is_entry ? 'g' : 'l';
    int32_t a = lower_address(l, addr, kind == 's' || kind == 'l' ? 4 : 8, &offset);
    lower_turn(l, a, offset, bytes * n, load ? 0 : SG_TURN_WRITES, 0);
    sg_op *op = lower_emitf(l, "%s_%c_v", load ? "ld" : "st", kind);
    op->a = a;
    op->offset = offset;
    op->aux = v;
    set_access(l, op, bytes * n);
    op->flags |= ptx_modified(l->inst, "const") ? SG_F_CONSTANT : 0;
    op->mode = race_mode(load, strong);
}

/* Emits the access to an element whose register is at `value`. */
static void scalar_access(lowering *l, bool load, bool watches, char kind, int32_t value,
                          const ptx_operand *addr, ptx_type type) {
    int64_t offset = 0;
    char fixed = 0;
    uint32_t bytes = ptx_type_size(type);
    if (kind == 'p' && fixed_place(l, addr, bytes, &fixed, &offset)) {
        if (fixed == 'k' && !load)
            lower_refuse(l, _("kernel parameters cannot be written"));
        sg_op *op = lower_emitf(l, "%s_%c_%s", load ? "ld" : "st", fixed, element(type));
        op->d = value;
        op->offset = offset;
        op->width = (uint8_t)bytes;
    } else {
        if (kind == 'p')
            kind = l->source->is_entry ? 'g' : 'l';
        bool record = (kind == 'g' || kind == 's') && addr->kind == PTX_OP_ADDR && addr->reg &&
                      l->affine[addr->reg->index] &&
                      ptx_type_size(addr->reg->type) == (kind == 'g' ? 8 : 4);
        int32_t a;
        if (record) {
            kind = kind == 'g' ? 'a' : 'b';
            a = lower_reg_place(l, addr->reg);
            offset = addr->imm;
        } else {
            a = lower_address(l, addr, kind == 's' || kind == 'l' ? 4 : 8, &offset);
        }
        lower_turn(l, a, offset, bytes, load ? 0 : SG_TURN_WRITES, 0);
        bool counted = l->count && (kind == 'g' || kind == 's');
        sg_op *op = lower_emitf(l, "%s_%c_%s%s", load ? "ld" : "st", kind, element(type),
                                counted ? "_c" : "");
        op->d = value;
        op->a = a;
        op->offset = offset;
        op->e = lower_slot_new(l);
        set_access(l, op, bytes);
        op->flags |= ptx_modified(l->inst, "const") ? SG_F_CONSTANT : 0;
        op->mode = race_mode(load, watches);
    }
}

static bool access_memory(lowering *l, bool load) {
    bool watches = hints(l);
    char kind = space_of(l);
    lower_takes(l, "v2 v4 v8");
    ptx_type type = lower_type(l);
    const ptx_operand *reg = lower_op(l, load ? 0 : 1), *addr = lower_op(l, load ? 1 : 0);
    if (type == PTX_NONE || type == PTX_B128)
        lower_unknown(l);
    synchronises(l, watches, load, kind);
    if (!load && kind != 'l' && kind != 'p')
        lower_moves(l);
    if (watches && load) {
        lower_emit(l, "spin_mark")->imm = 100;
        lower_wait(l, kind != 's', false);
        if (kind != 's')
            lower_emit(l, "fence");
    }
    if (reg->kind == PTX_OP_VECTOR) {
        vector_access(l, load, watches, kind, reg, addr, type);
        return true;
    }
    int32_t value =
        load ? lower_dst(l, reg, lower_register_type(reg, type)) : lower_src(l, reg, type);
    scalar_access(l, load, watches, kind, value, addr, type);
    return true;
}

/* Lowers cp.async [shared], [global], bytes{, source bytes}. It copies at once, so groups are done.
 */
static bool copy_async(lowering *l) {
    if (lower_has(l, "bulk") || lower_has(l, "mbarrier") || !lower_has(l, "async"))
        lower_unknown(l);
    if (lower_has(l, "commit_group") || lower_has(l, "wait_group") || lower_has(l, "wait_all"))
        return true;
    hints(l);
    lower_takes(l, "shared shared::cta global");
    uint64_t bytes;
    int64_t to_offset, from_offset;
    if (!lower_imm(l, lower_op(l, 2), PTX_U32, &bytes) || (bytes != 4 && bytes != 8 && bytes != 16))
        lower_unknown(l);
    sg_async *c = lower_own(l, sizeof *c);
    c->bytes = (uint32_t)bytes;
    c->wide_from = true;
    int32_t to = lower_address(l, lower_op(l, 0), 4, &to_offset);
    int32_t from = lower_address(l, lower_op(l, 1), 8, &from_offset), size = 0;
    if (l->inst->n_ops > 3) {
        const ptx_operand *op = lower_op(l, 3);
        if (op->kind == PTX_OP_REG && op->reg->type == PTX_PRED)
            lower_unknown(l);
        c->has_size = true;
        size = lower_src(l, op, PTX_U32);
    }
    sg_op *op = lower_put(l, 0, to, from, size, "cp_async");
    op->offset = to_offset;
    op->e = (int32_t)from_offset;
    op->aux = c;
    set_access(l, op, (uint32_t)bytes);
    return true;
}

bool lower_memory(lowering *l) {
    if (ptx_op_is(l->inst, "ld") || ptx_op_is(l->inst, "ldu"))
        return access_memory(l, true);
    if (ptx_op_is(l->inst, "st"))
        return access_memory(l, false);
    if (ptx_op_is(l->inst, "cp"))
        return copy_async(l);
    return false;
}
