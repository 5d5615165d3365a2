/* init.c: see init.h. Each byte of shared memory has a byte of shadow. */
#include "runtime/softgpu/watch/check/init.h"

/* Describes the place: "byte 4 of tile", "byte 4 of the dynamic shared memory". */
static void describe(char *text, size_t size, const sg_warp *w, uint32_t at) {
    const sg_kernel *k = w->block->run->code->kernel;
    char name[200];
    if (at >= k->dynamic_offset) {
        snprintf(text, size, _("byte %u of the dynamic shared memory"), at - k->dynamic_offset);
        return;
    }
    for (uint32_t i = 0; i < k->n_shared; i++) {
        const ptx_var *v = k->shared_vars[i];
        if (at < k->shared_offsets[i] || at - k->shared_offsets[i] >= v->size)
            continue;
        snprintf(text, size, _("byte %u of %s"), at - k->shared_offsets[i],
                 sg_demangle(v->name, name, sizeof name));
        return;
    }
    snprintf(text, size, _("byte %u, which is in no variable"), at);
}

/* Describes early returns: ". 24 of 256 threads had ended ...", or an empty text. */
static void describe_gone(char *text, size_t size, const sg_block *b) {
    const sg_gone *gone = &b->run->launch->gone;
    const char *remedy = _("Let all threads reach it: put the condition around what they load "
                           "and store, in place of the return");
    char left[60] = "";
    *text = '\0';
    if (!b->missed || !gone->threads || memcmp(gone->block, b->pos, sizeof b->pos))
        return;
    if (gone->left)
        snprintf(left, sizeof left, _(" (they left in line %u)"), gone->left);
    if (gone->barrier)
        snprintf(text, size,
                 _(". %u of %u threads had ended%s before the barrier in line %u, which does "
                   "not wait for them. %s"),
                 gone->threads, gone->of, left, gone->barrier, remedy);
    else
        snprintf(text, size,
                 _(". %u of %u threads had ended before the barrier, which does not wait for "
                   "them. %s"),
                 gone->threads, gone->of, remedy);
}

/* Reports on stderr, once a kernel, a read behind a barrier that ended threads did not reach. */
static void tell_early(sg_warp *w, const sg_op *ip, int lane, const char *what) {
    sg_run *run = w->block->run;
    char where[560], gone[400];
    sg_kernel *kernel = run->launch->kernel;
    describe_gone(gone, sizeof gone, w->block);
    pthread_mutex_lock(&run->lock);
    bool told = kernel->told_early;
    kernel->told_early |= *gone != '\0';
    pthread_mutex_unlock(&run->lock);
    if (told || !*gone)
        return;
    sg_fault_place(where, sizeof where, w, ip, lane);
    fprintf(stderr, _("softgpu: a read of shared memory (%s) that no thread has written,%s%s\n"),
            what, where, gone);
}

bool sg_init_reads(const sg_warp *w, const sg_op *ip, enum sg_access access) {
    if (access != SG_ATOMIC)
        return access == SG_READ;
    const ptx_inst *inst = sg_fault_instruction(w, ip);
    return !inst || !ptx_modified(inst, "exch");
}

static void raise_unset(sg_warp *w, const sg_op *ip, int lane, const char *what, uint32_t bytes,
                        enum sg_access access) {
    char gone[400];
    describe_gone(gone, sizeof gone, w->block);
    sg_fault_raise(w, ip, lane, SG_FAULT_UNINITIALISED_READ,
                   _("a %u-byte %s of shared memory (%s): no thread of the block has written there "
                     "yet. Set it first; a __syncthreads() is missing where another thread does so "
                     "later%s"),
                   bytes, access == SG_READ ? _("read") : _("atomic access"), what, gone);
}

void sg_init_lane(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                  enum sg_access access) {
    uint8_t *written = w->block->written + address;
    if (address >= w->shared_bytes || w->shared_bytes - address < bytes)
        return;
    if (access == SG_READ || access == SG_ATOMIC) {
        bool some = false;
        for (uint32_t k = 0; k < bytes; k++)
            some |= written[k];
        if (!some && sg_init_reads(w, ip, access)) {
            char what[300];
            describe(what, sizeof what, w, (uint32_t)address);
            if (w->block->run->launch->options & (SG_INITCHECK | SG_SOME))
                raise_unset(w, ip, lane, what, bytes, access);
            else
                tell_early(w, ip, lane, what);
        }
    }
    if (access != SG_READ)
        memset(written, 1, bytes);
}

void sg_init_shared(sg_warp *w, const sg_op *ip, const uint32_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access) {
    for (uint32_t m = mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        sg_init_lane(w, ip, lane, (uint32_t)(addresses[lane] + (uint32_t)offset), bytes, access);
    }
}
