/* emit.c: shared by all families of the lowering: refuses with a message, takes modifiers, and
 * emits ops and branches. */
#include "runtime/softgpu/lower/lower.h"
#include "runtime/base/words.h"
#include "runtime/softgpu/watch/count/poll.h"
#include "runtime/softgpu/watch/check/race.h"

bool lower_among(const char *name, const char *list) {
    return wb_word_among(name, strlen(name), list);
}

bool lower_modified(const ptx_inst *inst, const char *list) {
    bool any = false;
    for (uint32_t k = 0; k < inst->n_mods; k++)
        any |= lower_among(inst->mods[k], list);
    return any;
}

ptx_type lower_operand_type(const ptx_inst *inst) {
    ptx_type type = PTX_NONE;
    for (uint32_t k = 0; k < inst->n_mods; k++)
        if (ptx_type_named(inst->mods[k]) != PTX_NONE)
            type = ptx_type_named(inst->mods[k]);
    return type;
}

static bool mentions(const ptx_operand *op, const ptx_var *reg) {
    bool found = op->reg == reg;
    for (uint32_t k = 0; k < op->n_items && !found; k++)
        found = mentions(&op->items[k], reg);
    return found;
}

bool lower_is_read(const ptx_function *f, const ptx_inst *writer, const ptx_var *reg) {
    for (uint32_t k = 0; k < f->n_insts; k++)
        for (uint32_t o = &f->insts[k] == writer; o < f->insts[k].n_ops; o++)
            if (mentions(&f->insts[k].ops[o], reg))
                return true;
    return false;
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void instruction_text(const ptx_inst *inst, char *text, size_t size) {
    size_t n = (size_t)snprintf(text, size, "%s", inst->opcode);
    for (uint32_t k = 0; k < inst->n_mods && n < size; k++)
        n += (size_t)snprintf(text + n, size - n, ".%s", inst->mods[k]);
}

/* Returns the feature that an instruction belongs to, or SG_REFUSED_INSTRUCTION. */
static sg_refused feature(const ptx_inst *inst) {
    static const char *const small[] = {"e3m2", "e2m3", "e2m1", "ue8m0"};
    static const struct {
        const char *opcode, *mod;
        sg_refused kind;
    } features[] = {{"wgmma", NULL, SG_REFUSED_WGMMA},
                    {"tcgen05", NULL, SG_REFUSED_TENSOR_MEMORY},
                    {"cp", "bulk", SG_REFUSED_TMA},
                    {"tensormap", NULL, SG_REFUSED_TMA},
                    {NULL, "tensormap", SG_REFUSED_TMA},
                    {NULL, "tensormap::generic", SG_REFUSED_TMA},
                    {"mapa", NULL, SG_REFUSED_CLUSTERS},
                    {"getctarank", NULL, SG_REFUSED_CLUSTERS},
                    {NULL, "cluster", SG_REFUSED_CLUSTERS},
                    {NULL, "shared::cluster", SG_REFUSED_CLUSTERS},
                    {"setmaxnreg", NULL, SG_REFUSED_SETMAXNREG},
                    {"multimem", NULL, SG_REFUSED_MULTICAST},
                    {"txq", NULL, SG_REFUSED_TEXTURE_FEATURES},
                    {"sured", NULL, SG_REFUSED_TEXTURE_FEATURES},
                    {"suq", NULL, SG_REFUSED_TEXTURE_FEATURES}};
    for (size_t k = 0; k < WB_COUNT(features); k++)
        if ((!features[k].opcode || ptx_op_is(inst, features[k].opcode)) &&
            (!features[k].mod || ptx_modified(inst, features[k].mod)))
            return features[k].kind;
    for (uint32_t m = 0; m < inst->n_mods; m++)
        for (size_t k = 0; k < WB_COUNT(small); k++)
            if (strncmp(inst->mods[m], small[k], strlen(small[k])) == 0)
                return SG_REFUSED_SMALL_FLOATS;
    return SG_REFUSED_INSTRUCTION;
}

static _Noreturn void refuse(lowering *l, sg_refused kind, const char *what) {
    char name[200], where[300] = "", kernel[200];
    const ptx_module *ptx = l->module->ptx;
    instruction_text(l->inst, name, sizeof name);
    if (l->inst->loc.line && l->inst->loc.file < ptx->n_files)
        snprintf(where, sizeof where, "%.250s:%u: ", ptx->files[l->inst->loc.file],
                 l->inst->loc.line);
    sg_demangle(l->kernel->function->name, kernel, sizeof kernel);
    wb_fail(l->err, sg_refused_code(kind, SG_ERR_NOT_SUPPORTED),
            _("%skernel %s cannot run on softgpu: `%s` (PTX line %u): %s"), where, kernel, name,
            l->inst->ptx_line, what);
    longjmp(*l->refuse, 1);
}

void lower_refuse_as(lowering *l, sg_refused kind) {
    char what[600];
    sg_refused_text(kind, "softgpu", "", what, sizeof what);
    refuse(l, kind, what);
}

void lower_refuse(lowering *l, const char *format, ...) {
    char what[600];
    sg_refused kind = feature(l->inst);
    if (kind != SG_REFUSED_INSTRUCTION)
        lower_refuse_as(l, kind);
    WB_FORMAT_INTO(what, format);
    refuse(l, kind, what);
}

void lower_unknown(lowering *l) {
    lower_refuse(
        l, _("this instruction, or this combination of type and modifiers, is not implemented; "
             "compute it another way or run on a GPU"));
}

/* ---- modifiers ------------------------------------------------------------------------------ */

uint32_t lower_line(lowering *l, const ptx_inst *inst, struct sg_line **lines, uint32_t *n) {
    const ptx_module *ptx = l->module->ptx;
    if (!inst->loc.line || inst->loc.file >= ptx->n_files)
        return 0;
    const char *file = ptx->files[inst->loc.file];
    for (uint32_t k = 1; k < *n; k++)
        if ((*lines)[k].line == inst->loc.line && (*lines)[k].file == file)
            return k;
    struct sg_line *added = lower_need(l, WB_PUSH(*lines, *n));
    *added = (struct sg_line){file, inst->loc.line};
    return *n - 1;
}

bool lower_has(lowering *l, const char *mod) {
    for (uint32_t k = 0; k < l->inst->n_mods; k++)
        if (!strcmp(l->inst->mods[k], mod)) {
            l->taken |= 1u << k;
            return true;
        }
    return false;
}

const char *lower_takes(lowering *l, const char *list) {
    const char *first = NULL;
    for (uint32_t k = 0; k < l->inst->n_mods; k++)
        if (wb_word_among(l->inst->mods[k], strlen(l->inst->mods[k]), list)) {
            l->taken |= 1u << k;
            first = first ? first : l->inst->mods[k];
        }
    return first;
}

const char *lower_one_of(lowering *l, const char *list) {
    const char *found = lower_takes(l, list);
    if (!found)
        lower_unknown(l);
    return found;
}

int lower_index(lowering *l, const char *const *names, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (lower_has(l, names[k]))
            return (int)k;
    lower_unknown(l);
}

ptx_type lower_type(lowering *l) {
    for (uint32_t k = 0; k < l->inst->n_mods; k++) {
        ptx_type type = ptx_type_named(l->inst->mods[k]);
        if (type != PTX_NONE && !(l->taken >> k & 1)) {
            l->taken |= 1u << k;
            return type;
        }
    }
    return PTX_NONE;
}

int lower_rounding(lowering *l, int none) {
    static const char *const names[] = {"rn", "rz", "rm", "rp"};
    for (int k = 0; k < 4; k++)
        if (lower_has(l, names[k]))
            return k;
    return none;
}

void lower_done(lowering *l) {
    for (uint32_t k = 0; k < l->inst->n_mods; k++)
        if (!(l->taken >> k & 1))
            lower_refuse(
                l,
                _("the modifier .%s is not implemented for this instruction; compute it another "
                  "way or run on a GPU"),
                l->inst->mods[k]);
}

/* ---- emission ------------------------------------------------------------------------------- */

void *lower_need(lowering *l, void *memory) {
    if (!memory)
        lower_refuse(l, _("there is no memory left to translate the kernel"));
    return memory;
}

void *lower_own(lowering *l, size_t bytes) {
    void **owned = lower_need(l, WB_PUSH(l->f->owned, l->f->n_owned));
    *owned = calloc(1, bytes ? bytes : 1);
    return lower_need(l, *owned);
}

static sg_op *append(lowering *l, const sg_entry *entry) {
    sg_func *f = l->f;
    if (f->n_ops == f->cap_ops) {
        uint32_t cap = f->cap_ops ? 2 * f->cap_ops : 256;
        f->insts = lower_need(l, realloc(f->insts, cap * sizeof *f->insts));
        sg_op *ops = lower_need(l, aligned_alloc(64, cap * sizeof *ops));
        if (f->n_ops)
            memcpy(ops, f->ops, f->n_ops * sizeof *ops);
        free(f->ops);
        f->ops = ops;
        f->cap_ops = cap;
    }
    sg_op *op = &f->ops[f->n_ops];
    memset(op, 0, sizeof *op);
    f->insts[f->n_ops++] = l->index;
    op->fn[0] = entry->masked;
    op->fn[1] = entry->full;
    op->line = l->line;
    op->flags =
        (uint8_t)((l->count ? SG_F_COUNT : 0) | (l->waits_at == l->index + 1 ? SG_F_WAITS : 0));
    return op;
}

sg_op *lower_emit(lowering *l, const char *handler) {
    const sg_entry *entry = sg_handler_find(handler);
    if (!entry)
        lower_unknown(l);
    return append(l, entry);
}

sg_op *lower_emitf(lowering *l, const char *format, ...) {
    char name[80];
    WB_FORMAT_INTO(name, format);
    return lower_emit(l, name);
}

sg_op *lower_put(lowering *l, int32_t d, int32_t a, int32_t b, int32_t c, const char *format, ...) {
    char name[80];
    WB_FORMAT_INTO(name, format);
    sg_op *op = lower_emit(l, name);
    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
    return op;
}

static void fix(lowering *l, sg_op *op, uint32_t inst, bool rpc) {
    struct lower_fix *fix = lower_need(l, WB_PUSH(l->fixes, l->n_fixes));
    *fix = (struct lower_fix){(uint32_t)(op - l->f->ops), inst, rpc};
}
void lower_branch(lowering *l, sg_op *op, uint32_t target_inst) {
    fix(l, op, target_inst, false);
}
void lower_rpc(lowering *l, sg_op *op, uint32_t inst) {
    if (inst != UINT32_MAX && !(l->source->is_entry && inst == l->source->n_insts))
        fix(l, op, inst, true);
}

void lower_race_sync(lowering *l, unsigned how) {
    if (!(l->options & SG_RACECHECK))
        return;
    sg_op *op = lower_emit(l, "builtin");
    op->aux = &sg_race_sync;
    op->mode = (uint8_t)how;
}

void lower_wait(lowering *l, bool blocks, bool asks) {
    l->code->waits |= blocks;
    if (!(l->options & SG_COUNT))
        return;
    if (blocks && l->options & SG_TRACE &&
        (!l->source->is_entry || (ptx_repeats(l->source, l->index) && lower_decides(l))))
        l->waits_at = l->index + 1;
    l->code->loops |= l->waits_at == l->index + 1;
    sg_op *op = lower_emit(l, "builtin");
    op->aux = &sg_poll_mark;
    op->mode = blocks && asks;
}

bool lower_takes_turn(const ptx_inst *inst) {
    bool strong = lower_modified(inst, "volatile relaxed acquire release mmio");
    return (lower_among(inst->opcode, "atom red") ||
            (strong && lower_among(inst->opcode, "ld st"))) &&
           !lower_modified(inst, "shared shared::cta local param");
}

bool lower_fences(const ptx_inst *inst) {
    return lower_among(inst->opcode, "membar fence") && !lower_modified(inst, "cta proxy");
}

void lower_turn(lowering *l, int32_t place, int64_t offset, uint32_t bytes, int mode,
                int32_t expected) {
    if (!l->code->in_turn || !lower_takes_turn(l->inst))
        return;
    sg_op *op = lower_emit(l, "in_turn");
    op->a = place;
    op->b = expected;
    op->offset = offset;
    op->width = (uint8_t)bytes;
    op->mode = (uint8_t)mode;
}

void lower_moves(lowering *l) {
    if (l->code->kernel->polls)
        lower_emit(l, "moves");
}

void lower_wrote(lowering *l) {
    lower_moves(l);
    if (l->options & SG_COUNT)
        lower_emit(l, "builtin")->aux = &sg_poll_wrote;
}
