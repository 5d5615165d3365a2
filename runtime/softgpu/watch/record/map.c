/* map.c: see map.h. The array is divided into fields of some rows and columns, so the record does
 * not grow with the array. The launch runs on one thread, so the first thread is the same each
 * time. */
#include "runtime/softgpu/watch/record/map.h"

#include "runtime/base/base.h"

enum { MOST_WARPS = 1 << 22, MOST_WORDS = 8 };

typedef struct toucher { /* a thread and its block */
    uint64_t block;
    uint32_t thread;
} toucher;

struct sg_mapper {
    toucher *first;      /* by field */
    uint64_t field_row;  /* index of its row's first field */
    uint64_t row, begin; /* row of the last element touched; that row's first element */
    sg_wish wish;
    sg_map_kept kept;
    uint64_t n_blocks;
    uint32_t n_warps, threads;
    uint32_t *times; /* by warp of the grid: its accesses to the array; NULL: too many warps */
};

/* ---- the array ----------------------------------------------------------------------------- */

static bool find_symbol(const sg_module *module, const char *name, sg_mem_range *range) {
    size_t bytes = 0;
    void *at = name ? sg_module_symbol((sg_module *)module, name, &bytes) : NULL;
    return at && sg_mem_find(at, range);
}

/* Finds the array of a program's variable, which is a pointer or contains one. */
static enum sg_map_found find_pointer(const sg_wish *wish, sg_mem_range *range) {
    const uint64_t *words = wish->variable;
    size_t n = wish->variable_bytes / sizeof *words;
    bool found = false;
    if (!words)
        return SG_MAP_NO_VARIABLE;
    for (size_t k = 0; k < n && k < MOST_WORDS; k++) {
        sg_mem_range other;
        if (!words[k] || !sg_mem_find((const void *)(uintptr_t)words[k], &other))
            continue;
        if (found && other.base != range->base)
            return SG_MAP_SEVERAL;
        *range = other;
        found = true;
    }
    return found ? SG_MAP_FOUND : SG_MAP_NO_ARRAY;
}

static void divide(sg_map_kept *k, const sg_wish *wish) {
    k->rows = wish->rows;
    k->cols = wish->cols;
    k->row_step = (k->rows + SG_MAP_FIELDS - 1) / SG_MAP_FIELDS;
    k->col_step = (k->cols + SG_MAP_FIELDS - 1) / SG_MAP_FIELDS;
    k->field_rows = (k->rows + k->row_step - 1) / k->row_step;
    k->field_cols = (k->cols + k->col_step - 1) / k->col_step;
}

/* Finds the array. An unknown element size follows from the array's size, rows and columns. */
static void find_array(sg_mapper *m, const sg_kernel *kernel) {
    const sg_wish *wish = &m->wish;
    sg_map_kept *k = &m->kept;
    sg_mem_range range;
    k->found =
        find_symbol(kernel->module, wish->name, &range) ? SG_MAP_FOUND : find_pointer(wish, &range);
    if (k->found != SG_MAP_FOUND)
        return;
    uint64_t elements = wish->rows * wish->cols;
    k->range_bytes = range.bytes;
    k->base = (uint64_t)(uintptr_t)range.base;
    k->element = wish->element;
    if (!k->element && range.bytes % elements == 0)
        k->element = (uint32_t)(range.bytes / elements);
    if (!k->element || k->element > 64 || elements > range.bytes / k->element)
        k->found = SG_MAP_TOO_LARGE;
}

sg_mapper *sg_mapper_new(const sg_wish *wish, const sg_run *run) {
    sg_mapper *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->wish = *wish;
    m->n_blocks = run->n_blocks;
    m->n_warps = run->n_warps;
    m->threads = run->threads;
    divide(&m->kept, wish);
    find_array(m, run->launch->kernel);
    m->kept.threads = run->threads;
    m->kept.fields =
        calloc((size_t)m->kept.field_rows * m->kept.field_cols + 1, sizeof *m->kept.fields);
    m->first = calloc((size_t)m->kept.field_rows * m->kept.field_cols + 1, sizeof *m->first);
    if (m->n_blocks * m->n_warps <= MOST_WARPS)
        m->times = calloc(m->n_blocks * m->n_warps, sizeof *m->times);
    m->kept.timed = m->times != NULL;
    if (m->kept.fields && m->first)
        return m;
    sg_mapper_free(m);
    return NULL;
}

void sg_mapper_free(sg_mapper *m) {
    if (!m)
        return;
    WB_FREE(m->kept.fields, m->first, m->times, m);
}

/* ---- accesses ------------------------------------------------------------------------------ */

static void touch(sg_mapper *m, uint64_t element, toucher by, uint32_t time) {
    sg_map_kept *k = &m->kept;
    if (element - m->begin >= k->cols) { /* a new row, which is rare */
        m->row = element / k->cols;
        m->begin = m->row * k->cols;
        m->field_row = m->row / k->row_step;
    }
    uint64_t col = element - m->begin;
    if (m->row >= k->rows) {
        k->beyond++;
        return;
    }
    if (k->col_step > 1) /* 32-bit divisions take a third of the time */
        col = (col | k->col_step) >> 32 ? col / k->col_step : (uint32_t)col / (uint32_t)k->col_step;
    sg_field *f = &k->fields[m->field_row * k->field_cols + col];
    toucher *first = &m->first[m->field_row * k->field_cols + col];
    if (!f->touches++) {
        *first = by;
        f->first = by.block * m->threads + by.thread;
        f->time = time;
    }
    f->blocks |= by.block != first->block;
    f->warps |= by.block != first->block || by.thread / SG_LANES != first->thread / SG_LANES;
    f->threads |= by.block != first->block || by.thread != first->thread;
    f->time = time < f->time ? time : f->time;
    k->touches++;
}

static uint64_t element_of(const sg_map_kept *k, uint64_t byte) {
    bool power = !(k->element & (k->element - 1));
    return power ? byte >> __builtin_ctz(k->element) : byte / k->element;
}

void sg_map_global(sg_mapper *m, const sg_warp *w, enum sg_access access, const uint64_t *addresses,
                   int64_t offset, uint32_t mask, uint32_t bytes) {
    sg_map_kept *k = &m->kept;
    unsigned how = access == SG_READ    ? SG_MAP_READS
                   : access == SG_WRITE ? SG_MAP_WRITES
                                        : SG_MAP_READS | SG_MAP_WRITES;
    uint32_t none = 0, *times = m->times ? &m->times[w->block->id * m->n_warps + w->index] : &none;
    bool any = false;
    if (k->found != SG_MAP_FOUND || !(how & m->wish.of))
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        uint64_t at = addresses[i] + (uint64_t)offset - k->base;
        if (at >= k->range_bytes)
            continue;
        toucher by = {w->block->id, w->index * SG_LANES + i};
        uint64_t last = element_of(k, at + bytes - 1);
        for (uint64_t e = element_of(k, at); e <= last; e++)
            touch(m, e, by, *times);
        any = true;
    }
    *times += any;
    k->last_time = *times > k->last_time ? *times : k->last_time;
}

sg_map_kept *sg_mapper_report(sg_mapper *m) {
    sg_map_kept *kept = malloc(sizeof *kept);
    if (!kept)
        return NULL;
    *kept = m->kept;
    m->kept.fields = NULL;
    return kept;
}
