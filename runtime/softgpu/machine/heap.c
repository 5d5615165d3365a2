/* heap.c: remembers the lines of kernels that allocate memory. What was freed is not removed here:
 * its range is gone from the device's memory (mem.c). */
#include "runtime/softgpu/machine/heap.h"
#include "runtime/base/scoped.h"

enum { NOTES = 65536, SITES = 32 }; /* further notes are dropped; further sites share the last */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sg_heap_left sites[SITES];
static struct note {
    const void *base;
    uint64_t serial;
    size_t site;
} notes[NOTES];
static size_t n_sites, n_notes;

/* Returns true if nothing freed the allocation. */
static bool is_live(const struct note *note, size_t *bytes) {
    sg_mem_range range;
    bool live = sg_mem_find(note->base, &range) && range.serial == note->serial;
    if (live && bytes)
        *bytes = range.bytes;
    return live;
}

static size_t site_of(const sg_warp *w, const sg_op *ip) {
    const ptx_inst *inst = sg_fault_instruction(w, ip);
    const ptx_module *ptx = w->func->code->kernel->module->ptx;
    bool known = inst && inst->loc.line && inst->loc.file < ptx->n_files;
    sg_heap_left site = {.line = known ? inst->loc.line : 0};
    snprintf(site.file, sizeof site.file, "%s", known ? ptx->files[inst->loc.file] : "");
    sg_demangle(w->block->run->code->entry->source->name, site.kernel, sizeof site.kernel);
    size_t i = 0;
    while (i < n_sites && (sites[i].line != site.line || strcmp(sites[i].file, site.file) != 0 ||
                           strcmp(sites[i].kernel, site.kernel) != 0))
        i++;
    if (i == n_sites && n_sites < SITES)
        sites[n_sites++] = site;
    return i < n_sites ? i : n_sites - 1;
}

void sg_heap_note(const sg_warp *w, const sg_op *ip, const void *base) {
    sg_mem_range range;
    WB_LOCKED(&lock);
    if (base && n_notes < NOTES && sg_mem_find(base, &range))
        notes[n_notes++] = (struct note){base, range.serial, site_of(w, ip)};
}

bool sg_heap_leaks(sg_heap_left *left) {
    size_t site = SITES;
    WB_LOCKED(&lock);
    for (size_t i = 0; i < n_notes; i++) {
        size_t bytes;
        if (!is_live(&notes[i], &bytes))
            continue;
        if (site == SITES)
            *left = sites[site = notes[i].site];
        left->blocks += notes[i].site == site;
        left->bytes += notes[i].site == site ? bytes : 0;
    }
    return site < SITES;
}

void sg_heap_clear(void) {
    WB_LOCKED(&lock);
    for (size_t i = 0; i < n_notes; i++)
        if (is_live(&notes[i], NULL))
            sg_mem_free((void *)notes[i].base);
    n_notes = n_sites = 0;
}
