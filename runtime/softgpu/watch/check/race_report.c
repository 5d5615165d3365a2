/* race_report.c: reports a race: both accesses, their places, and the usual fix. */
#include "runtime/softgpu/watch/check/race.h"

const ptx_inst *sg_race_instruction(const sg_warp *w, uint32_t ordinal) {
    const sg_code *code = w->func->code;
    for (uint32_t k = 0; k < code->kernel->module->ptx->n_functions; k++) {
        const sg_func *f = code->funcs[k];
        if (f && ordinal >= f->ordinal && ordinal - f->ordinal < f->n_ops) {
            uint32_t at = f->insts[ordinal - f->ordinal];
            return at < f->source->n_insts ? &f->source->insts[at] : NULL;
        }
    }
    return NULL;
}

static bool is_atomic(const ptx_inst *inst) {
    return inst && (!strcmp(inst->opcode, "atom") || !strcmp(inst->opcode, "red"));
}

static const char *verb(const ptx_inst *inst, bool writes, bool strong) {
    return is_atomic(inst) ? _("atomic access")
           : strong        ? (writes ? _("volatile write") : _("volatile read"))
           : writes        ? _("write")
                           : _("read");
}

/* Describes memory: "shared memory (byte 4)", "global memory (byte 4 of a 400-byte allocation)". */
static void describe_memory(char *text, size_t size, const sg_race *race) {
    sg_mem_range range;
    char name[160];
    if (race->space == PTX_SPACE_SHARED) {
        snprintf(text, size, _("shared memory (byte %llu)"), (unsigned long long)race->address);
    } else if (sg_mem_find((const void *)(uintptr_t)race->address, &range)) {
        sg_fault_name(name, sizeof name, &range);
        snprintf(text, size, _("global memory (byte %llu of a %s)"),
                 (unsigned long long)(race->address - (uint64_t)(uintptr_t)range.base), name);
    } else {
        snprintf(text, size, _("global memory"));
    }
}

/* Describes a thread: "thread (1, 0, 0) in line 12", with its block if that is another one. */
static void describe_earlier(char *text, size_t size, const sg_warp *w, const sg_race *race,
                             const ptx_inst *now, const ptx_inst *then) {
    const sg_launch *l = w->block->run->launch;
    const ptx_module *ptx = w->func->code->kernel->module->ptx;
    uint32_t x = l->block[0], y = l->block[1], t = race->thread;
    char block[80] = "", line[300] = "";
    if (!race->same_block)
        snprintf(block, sizeof block, _(" of block (%u, %u, %u)"),
                 (uint32_t)(race->block % l->grid[0]),
                 (uint32_t)(race->block / l->grid[0] % l->grid[1]),
                 (uint32_t)(race->block / l->grid[0] / l->grid[1]));
    if (then && then->loc.line && now && now->loc.line == then->loc.line &&
        now->loc.file == then->loc.file)
        snprintf(line, sizeof line, _(" in the same line"));
    else if (then && then->loc.line && now && now->loc.file == then->loc.file)
        snprintf(line, sizeof line, _(" in line %u"), then->loc.line);
    else if (then && then->loc.line && then->loc.file < ptx->n_files)
        snprintf(line, sizeof line, _(" at %.200s:%u"), ptx->files[then->loc.file], then->loc.line);
    snprintf(text, size, _("thread (%u, %u, %u)%s%s"), t % x, t / x % y, t / x / y, block, line);
}

/* Returns the advice. Shared memory needs a barrier: a fence alone orders nothing unless another
 * thread waits. */
static const char *advice(const sg_race *race, const ptx_inst *now, const ptx_inst *then) {
    bool same_line = now && then && now->loc.line && now->loc.line == then->loc.line &&
                     now->loc.file == then->loc.file;
    if (race->in_lockstep)
        return _(
            "lanes of a warp store there in one instruction, and only one value stays; let one "
            "thread write, or use an atomic such as atomicAdd() if all of them count");
    if (race->is_strong != race->was_strong && (is_atomic(now) || is_atomic(then)))
        return race->same_block ? _("only atomics are in order with atomics; make both atomic, "
                                    "or else a __syncthreads() is missing between them")
                                : _("only atomics are in order with atomics; make both atomic, "
                                    "or do one of them in another launch");
    bool unreleased = race->unreleased && race->space != PTX_SPACE_SHARED;
    if (unreleased && same_line)
        return _("use an atomic such as atomicAdd(); if a lock guards this line, add a "
                 "__threadfence() before the lock is released");
    if (unreleased)
        return _("the other thread needs a __threadfence() between its access and the atomic "
                 "or volatile access that announces it");
    if (race->same_block)
        return same_line ? _("a __syncthreads() is missing between them, or, where threads "
                             "update one value together, an atomic such as atomicAdd()")
                         : _("a __syncthreads() is missing between them");
    if (same_line || (race->writes && race->wrote))
        return _(
            "blocks run in any order and at the same time; let each write places of its own, or "
            "use an atomic such as atomicAdd() where they update one value together");
    return _("blocks run in any order and at the same time, and __syncthreads() does not wait for "
             "other blocks; do the second step in another launch");
}

void sg_race_report(sg_warp *w, const sg_op *ip, int lane, const sg_race *race) {
    const ptx_inst *now = sg_fault_instruction(w, ip);
    const ptx_inst *then = sg_race_instruction(w, race->ordinal);
    char memory[260], other[460];
    describe_memory(memory, sizeof memory, race);
    describe_earlier(other, sizeof other, w, race, now, then);
    sg_fault_raise(w, ip, lane, SG_FAULT_RACE,
                   _("this %s of %s is not in order with the %s of %s: %s"),
                   verb(now, race->writes, race->is_strong), memory,
                   verb(then, race->wrote, race->was_strong), other, advice(race, now, then));
}
