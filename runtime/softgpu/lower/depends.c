/* depends.c: what a function's values depend on. If no address and no branch depends on memory, the
 * function's accesses follow from the launch, the block and the thread. If an address does not
 * depend on the thread, it is uniform in a warp. */
#include "runtime/softgpu/lower/lower.h"

static const char accesses[] = "ld ldu st atom red cp prefetch wmma ldmatrix tex tld4 suld sust";
static const char branches[] = "bra brx ret exit call trap bar barrier";

static bool mentions(const ptx_operand *op, const bool *read) {
    bool any = op->reg && read[op->reg->index];
    for (uint32_t k = 0; k < op->n_items; k++)
        any |= mentions(&op->items[k], read);
    return any;
}

static bool marks(const ptx_operand *op, bool *read) {
    bool news = op->reg && !read[op->reg->index];
    if (news)
        read[op->reg->index] = true;
    for (uint32_t k = 0; k < op->n_items; k++)
        news |= marks(&op->items[k], read);
    return news;
}

/* Returns true if an instruction is a source of the values in question. */
typedef bool source(const ptx_function *f, const ptx_inst *inst);

/* Memory. Excludes an atomic operation's result: if it redirects its block, the block's accesses
 * show it. */
static bool from_memory(const ptx_function *f, const ptx_inst *inst) {
    if (!strcmp(inst->opcode, "ld") || !strcmp(inst->opcode, "ldu"))
        return !ptx_modified(inst, "param") || !f->is_entry;
    return lower_among(inst->opcode, "call ldmatrix tex tld4 suld");
}

/* The thread's index, or any source that may differ within a warp. */
static bool from_thread(const ptx_function *f, const ptx_inst *inst) {
    for (uint32_t k = 0; k < inst->n_ops; k++)
        if (inst->ops[k].kind == PTX_OP_SPECIAL &&
            (!strncmp(inst->ops[k].name, "%tid", 4) || !strncmp(inst->ops[k].name, "%lane", 5)))
            return true;
    return lower_among(inst->opcode, "atom shfl activemask match") || from_memory(f, inst);
}

static bool reaches(const ptx_function *f, const ptx_inst *inst, const bool *marked, source *from) {
    bool any = (from && from(f, inst)) || (inst->guard && marked[inst->guard->index]);
    for (uint32_t k = 1; k < inst->n_ops && strcmp(inst->opcode, "atom") != 0; k++)
        any |= mentions(&inst->ops[k], marked);
    return any;
}

static bool writes_first(const ptx_inst *inst) {
    return inst->n_ops && !lower_among(inst->opcode, "st sust red cp prefetch") &&
           (!lower_among(inst->opcode, branches) || !strcmp(inst->opcode, "call"));
}

static bool hangs(const ptx_inst *inst, const bool *read) {
    bool access = lower_among(inst->opcode, accesses);
    if (!access && !lower_among(inst->opcode, branches))
        return false;
    bool any = inst->guard && read[inst->guard->index];
    for (uint32_t k = 0; k < inst->n_ops; k++)
        any |= (access ? inst->ops[k].kind == PTX_OP_ADDR : !strcmp(inst->opcode, "brx")) &&
               mentions(&inst->ops[k], read);
    return any;
}

/* Marks the registers that values of that source (NULL: none) reach, and those that marked ones
 * reach. Returns `marked`. */
static bool *reached(const ptx_function *f, source *from, bool *marked) {
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = 0; k < f->n_insts; k++)
            if (writes_first(&f->insts[k]) && reaches(f, &f->insts[k], marked, from))
                news |= marks(&f->insts[k].ops[0], marked);
    }
    return marked;
}

static enum sg_queue queue_of(const ptx_inst *inst, const bool *differs) {
    bool sum = false;
    for (uint32_t k = 0; k < inst->n_mods; k++) {
        sum |= lower_among(inst->mods[k], "add min max and or xor");
        if (lower_is_float(ptx_type_named(inst->mods[k])))
            return SG_QUEUE_FLOAT;
    }
    for (uint32_t k = 0; k < inst->n_ops; k++)
        if (inst->ops[k].kind == PTX_OP_ADDR && mentions(&inst->ops[k], differs))
            return SG_QUEUE_INTEGER;
    return sum ? SG_QUEUE_WARP : SG_QUEUE_INTEGER;
}

/* Returns true if a marked value is stored in private memory, from where it may reach a branch. */
static bool keeps(const ptx_inst *inst, const bool *marked) {
    bool stores = !strcmp(inst->opcode, "st") && !ptx_modified(inst, "global");
    return (stores || !strcmp(inst->opcode, "call")) && inst->n_ops > 1 &&
           mentions(&inst->ops[inst->n_ops - 1], marked);
}

bool lower_decides(lowering *l) {
    const ptx_function *f = l->source;
    bool *marked = lower_own(l, f->n_regs + 1), decides = false;
    if (l->inst->n_ops)
        marks(&l->inst->ops[0], marked);
    reached(f, NULL, marked);
    for (uint32_t k = 0; k < f->n_insts; k++)
        decides |= keeps(&f->insts[k], marked) ||
                   (lower_among(f->insts[k].opcode, branches) && hangs(&f->insts[k], marked));
    return decides;
}

/* Sets `together` in the op of the atomic operation, if there is one. */
static void put_together(lowering *l, uint32_t inst) {
    const sg_entry *atom = sg_handler_find("atom");
    for (uint32_t k = l->op_of[inst]; k < l->op_of[inst + 1]; k++)
        if (l->f->ops[k].fn[0] == atom->masked)
            ((sg_atom *)(uintptr_t)l->f->ops[k].aux)->together = true;
}

void lower_flow(lowering *l) {
    const ptx_function *f = l->source;
    const bool *read = reached(f, from_memory, lower_own(l, f->n_regs + 1)),
               *differs = reached(f, from_thread, lower_own(l, f->n_regs + 1));
    for (uint32_t k = 0; k < f->n_insts; k++) {
        const ptx_inst *inst = &f->insts[k];
        l->code->depends |= hangs(inst, read);
        if (!lower_among(inst->opcode, "atom red") || ptx_modified(inst, "shared"))
            continue;
        enum sg_queue queue = queue_of(inst, differs);
        l->code->queue = queue > l->code->queue ? queue : l->code->queue;
        if (queue == SG_QUEUE_WARP)
            put_together(l, k);
    }
}
