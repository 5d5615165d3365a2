/* fault.c: describes a fault: what, where, and what to check. Only a launch's first fault is kept.
 * Its thread leaves the block by a long jump, and the others stop at their next slice. */
#include "runtime/base/scoped.h"
#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/recorded.h"

/* In libstdc++, if the process has it. Otherwise names stay mangled. */
extern char *__cxa_demangle(const char *name, char *out, size_t *len, int *status)
    __attribute__((weak));

char *sg_demangle(const char *name, char *text, size_t size) {
    int status = -1;
    WB_SCOPED char *plain = __cxa_demangle ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    bool template = plain && strncmp(plain, "void ", 5) == 0; /* has its result type in front */
    snprintf(text, size, "%s", template ? plain + 5 : plain ? plain : name);
    return text;
}

static const struct {
    const char *name;
    int code;
    const char *words;
} kinds[] = {
#define FAULT(kind, name, code, words) {name, SG_ERR_##code, words},
#include "runtime/softgpu/faults.inc"
#undef FAULT
};

const char *sg_fault_kind_name(sg_fault_kind kind) {
    return kinds[kind].name;
}

/* Returns the launch's fault to fill in, or NULL if another thread's came first. The caller sets
 * its code last. */
static sg_fault *claim(sg_run *run, sg_fault_kind kind) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&run->stop, &none, kinds[kind].code))
        return NULL;
    run->launch->fault.kind = kind;
    return &run->launch->fault;
}

void sg_fault_run(sg_run *run, sg_fault_kind kind, const char *text) {
    sg_fault *f = claim(run, kind);
    if (!f)
        return;
    sg_demangle(run->code->entry->source->name, f->kernel, sizeof f->kernel);
    snprintf(f->text, sizeof f->text, "%s: %s", f->kernel, text);
    f->code = kinds[kind].code;
}

/* Returns the PTX instruction of an op. */
const ptx_inst *sg_fault_instruction(const sg_warp *w, const sg_op *ip) {
    const sg_func *f = w->func;
    if (w->sync_op)
        ip = w->sync_op;
    if (ip < f->ops || ip >= f->ops + f->n_ops)
        return NULL;
    uint32_t at = f->insts[ip - f->ops];
    return at < f->source->n_insts ? &f->source->insts[at] : NULL;
}

static void place(sg_fault *f, const sg_warp *w, const sg_op *ip, int lane) {
    const sg_block *b = w->block;
    const sg_launch *l = b->run->launch;
    const ptx_inst *inst = sg_fault_instruction(w, ip);
    const ptx_module *ptx = w->func->code->kernel->module->ptx;
    sg_demangle(b->run->code->entry->source->name, f->kernel, sizeof f->kernel);
    for (int32_t at = w->frame; inst && !inst->loc.line && w->frames[at].back;) { /* a header's */
        const sg_op *call = w->frames[at].back - 1;
        const sg_func *caller = w->frames[at = w->frames[at].parent].func;
        inst = &caller->source->insts[caller->insts[call - caller->ops]];
    }
    if (inst && inst->loc.line && inst->loc.file < ptx->n_files) {
        f->file = ptx->files[inst->loc.file];
        f->line = inst->loc.line;
    }
    uint32_t thread = w->index * SG_LANES + (uint32_t)lane;
    memcpy(f->block, b->pos, sizeof f->block);
    f->thread[0] = thread % l->block[0];
    f->thread[1] = thread / l->block[0] % l->block[1];
    f->thread[2] = thread / l->block[0] / l->block[1];
}

/* Writes "at file:line in kernel, block (x, y, z), thread (x, y, z)", or "at line 3 ..." for a
 * reader who sees the file. */
static int describe_place(char *text, size_t size, const sg_fault *f, const sg_warp *w,
                          const sg_op *ip, bool sees_file) {
    char where[200] = "";
    const ptx_inst *inst = sg_fault_instruction(w, ip);
    if (f->line && sees_file)
        snprintf(where, sizeof where, _(" at line %u"), f->line);
    else if (f->line)
        snprintf(where, sizeof where, _(" at %s:%u"), f->file, f->line);
    else if (inst)
        snprintf(where, sizeof where,
                 _(" (PTX line %u; compile with -lineinfo for the source line)"), inst->ptx_line);
    return snprintf(text, size, _("%s in %s, block (%u, %u, %u), thread (%u, %u, %u)"), where,
                    f->kernel, f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1],
                    f->thread[2]);
}

void sg_fault_place(char *text, size_t size, const sg_warp *w, const sg_op *ip, int lane) {
    sg_fault f = {0};
    place(&f, w, ip, lane);
    const char *slash = f.file ? strrchr(f.file, '/') : NULL;
    f.file = slash ? slash + 1 : f.file;
    describe_place(text, size, &f, w, ip, false);
}

/* A debugger stops here first. text: for its reader. */
static _Noreturn void leave(sg_warp *w, const sg_op *ip, int lane, const char *text) {
    const sg_wish *wish = w->block->run->launch->wish;
    if (wish && wish->watcher)
        wish->watcher->fault(wish->watcher->context, w, ip, lane, text);
    longjmp(w->block->worker->fault_jump, 1);
}

void sg_fault_raise(sg_warp *w, const sg_op *ip, int lane, sg_fault_kind kind, const char *format,
                    ...) {
    sg_fault *f = claim(w->block->run, kind);
    if (!f)
        leave(w, ip, lane, "");
    char what[600], where[560], here[sizeof f->text];
    WB_FORMAT_INTO(what, format);
    place(f, w, ip, lane);
    for (int seen = 0; seen < 2; seen++) {
        describe_place(where, sizeof where, f, w, ip, seen);
        snprintf(seen ? here : f->text, sizeof here, "%s%s: %s", wb_tr(kinds[kind].words), where,
                 what);
    }
    f->code = kinds[kind].code;
    leave(w, ip, lane, here);
}

static const char *kind_name(sg_mem_kind kind) {
    return kind == SG_MEM_MANAGED    ? _("managed allocation")
           : kind == SG_MEM_HOST     ? _("host allocation")
           : kind == SG_MEM_SYMBOL   ? _("__device__ variable")
           : kind == SG_MEM_CONSTANT ? _("__constant__ variable")
                                     : _("allocation");
}

void sg_fault_name(char *text, size_t size, const sg_mem_range *r) {
    snprintf(text, size, _("%zu-byte %s%s%s"), r->bytes, kind_name(r->kind), r->name[0] ? " " : "",
             r->name);
}

/* Adds the index of an element behind the end of an array, for elements as large as the access. */
static void add_element(char *text, size_t size, const sg_mem_range *r, uint64_t address,
                        uint32_t bytes) {
    uint64_t base = (uint64_t)(uintptr_t)r->base;
    size_t len = strlen(text);
    if (bytes == 0 || r->bytes % bytes || (address - base) % bytes)
        return;
    snprintf(text + len, size - len,
             _(" Of its %llu elements of %u bytes the last has index %llu; this is index "
               "%llu: a check such as if (i < n) keeps threads out that have no element."),
             (unsigned long long)(r->bytes / bytes), bytes,
             (unsigned long long)(r->bytes / bytes - 1),
             (unsigned long long)((address - base) / bytes));
}

/* Describes the memory at or near the address of a global fault, and records the allocation. */
static void describe_global(char *text, size_t size, sg_fault *f) {
    uint64_t address = f->address;
    uint32_t bytes = f->access_bytes;
    sg_mem_range r, below = {0}, above;
    char name[160];
    if (address < 65536) {
        snprintf(text, size,
                 _("the address 0x%llx is null%s: was the pointer never set, or did an "
                   "allocation fail?"),
                 (unsigned long long)address, address ? _(" plus an offset") : "");
        return;
    }
    if ((address & SG_WINDOW_MASK) == SG_SHARED_WINDOW) {
        snprintf(text, size,
                 _("the address lies in shared memory, but the instruction reads global memory"));
        return;
    }
    if (sg_mem_find_freed((const void *)(uintptr_t)address, &r)) {
        sg_fault_name(name, sizeof name, &r);
        size_t len =
            (size_t)snprintf(text, size, _("%llu bytes into a %s that has been freed"),
                             (unsigned long long)(address - (uint64_t)(uintptr_t)r.base), name);
        if (len < size)
            snprintf(text + len, size - len, "%s", _(": cudaFree() comes behind the last use"));
        return;
    }
    sg_mem_nearest(address, &below, &above);
    uint64_t end = (uint64_t)(uintptr_t)below.base + below.bytes;
    uint64_t after = below.base ? address - end : UINT64_MAX;
    uint64_t before = above.base ? (uint64_t)(uintptr_t)above.base - address : UINT64_MAX;
    if (below.base && address < end) {
        sg_fault_name(name, sizeof name, &below);
        f->allocation = below.bytes;
        snprintf(text, size, _("the last %llu of its %u bytes lie beyond the end of a %s"),
                 (unsigned long long)(address + bytes - end), bytes, name);
    } else if (below.base && after <= before && after < (1ull << 40)) {
        sg_fault_name(name, sizeof name, &below);
        f->allocation = below.bytes;
        snprintf(text, size, _("%llu bytes past the end of a %s: is an index out of range?"),
                 (unsigned long long)after, name);
        add_element(text, size, &below, address, bytes);
    } else if (above.base && before < (1ull << 40)) {
        sg_fault_name(name, sizeof name, &above);
        f->allocation = above.bytes;
        snprintf(text, size,
                 _("%llu bytes before the start of a %s: is an index negative, or too large "
                   "for its type?"),
                 (unsigned long long)before, name);
    } else {
        snprintf(text, size,
                 _("the address is no device memory: is it a pointer to the host's memory "
                   "(malloc, new, a local variable)?"));
    }
}

void sg_fault_address(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                      ptx_space space, enum sg_access access) {
    const char *verb = access == SG_READ    ? _("read")
                       : access == SG_WRITE ? _("write")
                                            : _("atomic access");
    static const sg_fault_kind outside[] = {
        SG_FAULT_OUT_OF_BOUNDS_READ, SG_FAULT_OUT_OF_BOUNDS_WRITE, SG_FAULT_OUT_OF_BOUNDS_ATOMIC};
    static const sg_fault_kind crooked[] = {SG_FAULT_MISALIGNED_READ, SG_FAULT_MISALIGNED_WRITE,
                                            SG_FAULT_MISALIGNED_ATOMIC};
    bool misaligned = bytes && (address & (bytes - 1));
    sg_mem_range r;
    bool constant = space == PTX_SPACE_GLOBAL && access != SG_READ && !misaligned &&
                    sg_mem_find((void *)(uintptr_t)address, &r) && r.kind == SG_MEM_CONSTANT;
    sg_fault *f = claim(w->block->run, space == PTX_SPACE_REG ? SG_FAULT_UNINITIALISED_READ
                                       : constant             ? SG_FAULT_CONSTANT_WRITE
                                       : misaligned           ? crooked[access]
                                                              : outside[access]);
    if (!f)
        leave(w, ip, lane, "");
    char where[560], what[700], here[sizeof f->text];
    f->address = address;
    f->access_bytes = bytes;
    place(f, w, ip, lane);
    if (space == PTX_SPACE_REG && sg_mem_find((void *)(uintptr_t)address, &r))
        f->allocation = r.bytes;
    if (space == PTX_SPACE_REG)
        snprintf(what, sizeof what,
                 _("nothing has written these bytes since they were allocated: set them first"));
    else if (constant)
        snprintf(what, sizeof what, _("kernels cannot change __constant__ memory%s%s"),
                 r.name[0] ? ": " : "", r.name);
    else if (misaligned)
        snprintf(what, sizeof what,
                 _("the address 0x%llx is no multiple of %u, the size of the access: a vector "
                   "type such as float4 needs aligned data"),
                 (unsigned long long)address, bytes);
    else if (space == PTX_SPACE_SHARED)
        snprintf(what, sizeof what, _("%lld is outside of the block's %u bytes of shared memory%s"),
                 (long long)(int32_t)address, w->shared_bytes,
                 w->shared_bytes ? "" : _(" (was the third launch argument forgotten?)"));
    else if (space == PTX_SPACE_LOCAL)
        snprintf(what, sizeof what, _("%lld is outside of the thread's %u bytes of local memory"),
                 (long long)(int32_t)address, w->local_bytes);
    else
        describe_global(what, sizeof what, f);
    static const char *const spaces[] = {N_("global"), N_("global"), N_("constant"), N_("global"),
                                         N_("local"),  N_("param"),  N_("shared")};
    const char *name = space == PTX_SPACE_REG ? "global" : spaces[space];
    for (int seen = 0; seen < 2; seen++) {
        describe_place(where, sizeof where, f, w, ip, seen);
        snprintf(seen ? here : f->text, sizeof here, _("%s: a %u-byte %s in %s memory%s: %s"),
                 wb_tr(kinds[f->kind].words), bytes, verb, wb_tr(name), where, what);
    }
    f->code = kinds[f->kind].code;
    leave(w, ip, lane, here);
}
