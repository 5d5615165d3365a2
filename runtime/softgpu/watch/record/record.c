/* record.c: one warp's memory requests, by line and array. A compiler that unrolls a loop makes
 * several instructions of one access, so the instruction is no key. A series keeps sums and two
 * whole requests: the wished one and the worst. So the size of a record depends on the code, not on
 * the run time. */
#include "runtime/softgpu/watch/record/record.h"

#include "runtime/base/base.h"
#include "runtime/softgpu/watch/record/map.h"
#include "runtime/softgpu/watch/record/values.h"

enum {
    MOST_REQUESTS = 1024,
    MOST_STEPS = 16384,
    MOST_SPANS = 1 << 17,
    MOST_WARPS = 1 << 18, /* in a grid */
    SECTOR = 32,
    ROW = 128 /* bytes of one pass over the banks */
};

typedef struct kept { /* a series that can be restored */
    uint64_t times, lanes, moved, wasted;
    sg_request wished, worst;
} kept;

struct sg_recorder {
    sg_wish wish;
    uint32_t n_ops;
    uint32_t *place; /* by op, for global and for shared memory: 1 + index of its last series */
    sg_requests *requests; /* room for MOST_REQUESTS */
    kept *aside;           /* copies of the first n_aside series; NULL: nothing to restore */
    uint32_t n, n_aside;
    sg_mapper *map;    /* or NULL */
    sg_valuer *values; /* or NULL */
    bool grid;         /* record all warps' lanes that touch memory */
    uint32_t *came;    /* NULL: not wished for, or too many warps */
    uint64_t n_came;
    const sg_code *code;
    sg_span_kept *spans; /* room for MOST_SPANS; NULL: not wished for */
    uint32_t n_spans;
    sg_step_kept *steps; /* room for MOST_STEPS; NULL: not wished for */
    uint32_t n_steps, steps_aside;
    sg_step_kept step_aside; /* a copy of the last step */
    uint64_t left_out;
    bool ran;
};

sg_recorder *sg_recorder_new(const sg_wish *wish, const sg_run *run) {
    sg_recorder *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->wish = *wish;
    r->n_ops = sg_code_ops(run->code);
    r->place = calloc((size_t)r->n_ops + 1, 2 * sizeof *r->place);
    r->requests = calloc(MOST_REQUESTS, sizeof *r->requests);
    bool lanes = wish->what == SG_RECORD_LANES;
    if (lanes)
        r->steps = calloc(MOST_STEPS, sizeof *r->steps);
    bool map = wish->what == SG_RECORD_MAP, block = wish->what == SG_RECORD_BLOCK;
    bool values = wish->what == SG_RECORD_VALUES;
    r->code = run->code;
    if (block)
        r->spans = calloc(MOST_SPANS, sizeof *r->spans);
    if (map)
        r->map = sg_mapper_new(wish, run);
    if (values)
        r->values = sg_valuer_new(&r->wish, run);
    r->grid = wish->what == SG_RECORD_GRID;
    r->n_came = run->n_blocks * run->n_warps;
    if (r->grid && r->n_came <= MOST_WARPS)
        r->came = calloc(r->n_came + 1, sizeof *r->came);
    if (r->place && r->requests && (r->steps || !lanes) && (r->map || !map) &&
        (r->spans || !block) && (r->values || !values))
        return r;
    sg_recorder_free(r);
    return NULL;
}

void sg_recorder_free(sg_recorder *r) {
    if (!r)
        return;
    WB_FREE(r->place, r->requests, r->steps, r->aside);
    sg_mapper_free(r->map);
    sg_valuer_free(r->values);
    WB_FREE(r->spans, r->came, r);
}

void sg_recorded_free(sg_recorded *r) {
    if (r) {
        WB_FREE(r->requests, r->steps);
        if (r->map)
            free(r->map->fields);
        for (uint32_t k = 0; k < r->n_moments; k++)
            free(r->moments[k].values);
        WB_FREE(r->map, r->spans, r->came, r->moments);
    }
    free(r);
}

bool sg_recorder_of_all(const sg_recorder *r) {
    return r && (r->map || r->grid || r->wish.watcher);
}

static bool is_wished(const sg_recorder *r, const sg_run *run, uint64_t block) {
    const uint32_t *grid = run->launch->grid;
    return block % grid[0] == r->wish.block[0] && block / grid[0] % grid[1] == r->wish.block[1] &&
           block / grid[0] / grid[1] == r->wish.block[2];
}

bool sg_recorder_looks_at(const sg_recorder *r, const sg_run *run, uint64_t block) {
    bool more = (run->launch->options & ~(unsigned)SG_TRACE) != SG_RECORD;
    return sg_recorder_of_all(r) || more || run->code->in_turn || is_wished(r, run, block);
}

uint64_t sg_recorder_place(const sg_recorder *r, const sg_run *run, uint64_t k) {
    uint64_t n = run->n_blocks, seed = r->wish.watcher ? r->wish.watcher->seed : 0, step = seed;
    if (!seed)
        return k;
    for (uint64_t a = n, b = 0; a != 1; step += a != 1) /* until it has no divisor in common */
        for (a = n, b = step % n; b;) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
    return (uint64_t)(((__uint128_t)(k + seed) * step) % n);
}

sg_recorder *sg_recorder_clocks(sg_recorder *r, const sg_block *b) {
    bool wished = r && r->spans && is_wished(r, b->run, b->id);
    if (wished)
        r->ran = true;
    return wished ? r : NULL;
}

void sg_record_span(sg_recorder *r, uint32_t warp, uint32_t from, uint32_t to, int what,
                    uint32_t place) {
    if (to <= from)
        return;
    if (r->n_spans == MOST_SPANS) {
        r->left_out++;
        return;
    }
    const struct sg_line *line = &r->code->places[place];
    r->spans[r->n_spans++] = (sg_span_kept){warp, from, to, what, line->file, line->line};
}

static int by_clock(const void *a, const void *b) {
    const sg_span_kept *x = a, *y = b;
    if (x->warp != y->warp)
        return x->warp < y->warp ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

sg_recorder *sg_recorder_watches(sg_recorder *r, const sg_block *b, uint32_t warp) {
    if (sg_recorder_of_all(r)) {
        r->ran = true;
        return r;
    }
    if (!r || memcmp(b->pos, r->wish.block, sizeof b->pos) != 0)
        return NULL;
    r->ran |= warp == r->wish.warp;
    return warp == r->wish.warp || r->values ? r : NULL;
}

/* ---- one request --------------------------------------------------------------------------- */

/* Finds the array of shared memory that contains an address. */
static void find_shared(const sg_warp *w, uint64_t at, sg_requests *q) {
    const sg_kernel *kernel = w->block->run->launch->kernel;
    for (uint32_t k = 0; k < kernel->n_shared; k++) {
        const ptx_var *v = kernel->shared_vars[k];
        uint64_t from = kernel->shared_offsets[k];
        uint64_t bytes = v->size ? v->size : w->shared_bytes - from; /* 0: all the rest */
        if (at < from || at - from >= bytes)
            continue;
        q->base = from;
        q->range_bytes = bytes;
        snprintf(q->name, sizeof q->name, "%s", v->name);
        return;
    }
}

static void find_array(const sg_warp *w, uint64_t at, sg_requests *q) {
    sg_mem_range range;
    if (q->shared) {
        find_shared(w, at, q);
    } else if (sg_mem_find((const void *)(uintptr_t)at, &range)) {
        q->base = (uint64_t)(uintptr_t)range.base;
        q->range_bytes = range.bytes;
        memcpy(q->name, range.name, sizeof q->name);
    }
}

static bool fits(const sg_requests *q, const sg_requests *wanted, uint64_t at) {
    return q->line == wanted->line && q->file == wanted->file && q->kind == wanted->kind &&
           q->shared == wanted->shared && q->bytes == wanted->bytes &&
           (q->range_bytes ? at - q->base < q->range_bytes : q->base == wanted->base);
}

/* Returns the series for such a request, or NULL if there is no room. */
static sg_requests *requests_of(sg_warp *w, const sg_op *ip, bool shared, enum sg_access access,
                                uint32_t bytes, uint64_t at) {
    static const enum sg_request_kind kinds[] = {[SG_READ] = SG_REQUEST_LOAD,
                                                 [SG_WRITE] = SG_REQUEST_STORE,
                                                 [SG_ATOMIC] = SG_REQUEST_ATOMIC};
    sg_recorder *r = w->record;
    if (r->wish.what != SG_RECORD_ACCESS)
        return NULL;
    const struct sg_line *line = &w->block->run->code->lines[ip->line];
    uint32_t op = w->func->ordinal + (uint32_t)(ip - w->func->ops);
    uint32_t *place = &r->place[2 * op + shared], k = 0;
    sg_requests wanted = {.file = line->file,
                          .line = line->line,
                          .kind = kinds[access],
                          .shared = shared,
                          .bytes = bytes};
    if (*place && fits(&r->requests[*place - 1], &wanted, at))
        return &r->requests[*place - 1];
    while (k < r->n && !fits(&r->requests[k], &wanted, at))
        k++;
    if (k == MOST_REQUESTS) {
        r->left_out++;
        return NULL;
    }
    if (k == r->n) {
        find_array(w, at, &wanted);
        r->requests[r->n++] = wanted;
    }
    *place = k + 1;
    return &r->requests[k];
}

/* Returns the bytes that the lanes request, each counted once. */
static uint32_t distinct_bytes(const sg_request *q, uint32_t bytes) {
    uint64_t at[SG_LANES], end = 0;
    uint32_t n = 0, sum = 0;
    for (uint32_t m = q->mask; m; m &= m - 1)
        at[n++] = q->at[__builtin_ctz(m)];
    qsort(at, n, sizeof at[0], sg_by_number);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t from = i > 0 && at[i] < end ? end : at[i];
        end = at[i] + bytes;
        sum += (uint32_t)(end - from);
    }
    return sum;
}

/* Returns the fewest passes for these lanes. Neighbouring lanes share passes of 128 bytes. */
static uint32_t least_passes(uint32_t mask, uint32_t bytes) {
    uint32_t group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8, passes = 0;
    for (uint32_t first = 0; first < SG_LANES; first += group)
        passes += (mask >> first & (group == 32 ? SG_ALL : (1u << group) - 1)) != 0;
    return passes;
}

static void add(sg_recorder *r, sg_requests *q, sg_request *one) {
    one->time = ++q->times;
    q->lanes += (uint64_t)__builtin_popcount(one->mask);
    q->moved += one->moved;
    q->wasted += one->wasted;
    if (one->time == r->wish.time)
        q->wished = *one;
    if (one->time == 1 || one->wasted > q->worst.wasted)
        q->worst = *one;
}

void sg_record_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes, uint32_t sectors) {
    uint64_t first = addresses[__builtin_ctz(mask)] + (uint64_t)offset;
    if (w->record->came)
        w->record->came[w->block->id * w->block->run->n_warps + w->index] |= mask;
    if (w->record->map)
        sg_map_global(w->record->map, w, access, addresses, offset, mask, bytes);
    sg_requests *q = requests_of(w, ip, false, access, bytes, first);
    sg_request one = {.mask = mask, .moved = sectors};
    if (!q)
        return;
    for (uint32_t m = mask; m; m &= m - 1)
        one.at[__builtin_ctz(m)] = addresses[__builtin_ctz(m)] + (uint64_t)offset;
    one.wasted = sectors * SECTOR - distinct_bytes(&one, bytes);
    add(w->record, q, &one);
}

void sg_record_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes, uint32_t passes) {
    uint32_t first = addresses[__builtin_ctz(mask)] + (uint32_t)offset;
    sg_requests *q = requests_of(w, ip, true, access, bytes, first);
    sg_request one = {.mask = mask, .moved = passes};
    if (!q)
        return;
    for (uint32_t m = mask; m; m &= m - 1)
        one.at[__builtin_ctz(m)] = (uint32_t)(addresses[__builtin_ctz(m)] + (uint32_t)offset);
    uint32_t least = least_passes(mask, bytes);
    one.wasted = passes > least ? passes - least : 0;
    add(w->record, q, &one);
}

/* ---- active lanes ------------------------------------------------------------------------- */

static void step(sg_warp *w, const sg_op *ip, char *regs) {
    sg_recorder *r = w->record;
    (void)regs;
    if (!r || !r->steps)
        return;
    const struct sg_line *line = &w->block->run->code->lines[ip->line];
    sg_step_kept *last = r->n_steps ? &r->steps[r->n_steps - 1] : NULL;
    bool jump = ip->mode, same = last && last->line == line->line && last->file == line->file;
    if (last && last->mask == w->mask && (jump || (same && !last->jump)))
        last->instructions += (uint32_t)ip->d;
    else if (r->n_steps < MOST_STEPS)
        r->steps[r->n_steps++] =
            (sg_step_kept){line->file, line->line, w->mask, (uint32_t)ip->d, jump};
    else
        r->left_out += ip->d != 0;
}

void (*const sg_record_step)(sg_warp *w, const sg_op *ip, char *r) = step;

/* ---- values ------------------------------------------------------------------------------- */

static void piece(sg_warp *w, const sg_op *ip, char *regs) {
    const sg_watcher *watcher = w->record ? w->record->wish.watcher : NULL;
    if (watcher)
        watcher->piece(watcher->context, w, ip);
    else if (w->record)
        sg_values_piece(w->record->values, w, ip, regs);
}

void (*const sg_record_piece)(sg_warp *w, const sg_op *ip, char *r) = piece;

static void opens(sg_block *b, uint32_t barrier) {
    (void)barrier;
    if (b->warps[0].record)
        sg_values_barrier(b->warps[0].record->values, b);
}

void (*sg_recorder_opens(const sg_recorder *r))(sg_block *b, uint32_t barrier) {
    return r->values ? opens : NULL;
}

/* ---- idle turns of a wait ----------------------------------------------------------------- */

void sg_record_aside(sg_recorder *r) {
    free(r->aside);
    r->aside = calloc(r->n + 1, sizeof *r->aside);
    r->n_aside = r->n;
    r->steps_aside = r->n_steps;
    if (r->n_steps)
        r->step_aside = r->steps[r->n_steps - 1];
    for (uint32_t k = 0; r->aside && k < r->n; k++) {
        const sg_requests *q = &r->requests[k];
        r->aside[k] = (kept){q->times, q->lanes, q->moved, q->wasted, q->wished, q->worst};
    }
}

void sg_record_back(sg_recorder *r) {
    r->n_steps = r->steps_aside;
    if (r->n_steps)
        r->steps[r->n_steps - 1] = r->step_aside;
    for (uint32_t k = 0; r->aside && k < r->n; k++) {
        static const kept nothing;
        const kept *was = k < r->n_aside ? &r->aside[k] : &nothing;
        sg_requests *q = &r->requests[k];
        q->times = was->times;
        q->lanes = was->lanes;
        q->moved = was->moved;
        q->wasted = was->wasted;
        q->wished = was->wished;
        q->worst = was->worst;
    }
}

void sg_record_stays(sg_recorder *r) {
    free(r->aside);
    r->aside = NULL;
}

/* ---- the end ------------------------------------------------------------------------------- */

sg_recorded *sg_recorder_report(sg_recorder *r) {
    sg_recorded *out = calloc(1, sizeof *out);
    uint32_t n = 0;
    if (!out)
        return NULL;
    for (uint32_t k = 0; k < r->n; k++)
        if (r->requests[k].times) /* else poll.c took all of them back */
            r->requests[n++] = r->requests[k];
    *out = (sg_recorded){.ran = r->ran,
                         .requests = r->requests,
                         .n_requests = n,
                         .steps = r->steps,
                         .n_steps = r->n_steps,
                         .map = r->map ? sg_mapper_report(r->map) : NULL,
                         .came = r->came,
                         .n_came = r->came ? r->n_came : 0,
                         .left_out = r->left_out};
    if (r->values)
        sg_valuer_report(r->values, out);
    if (r->n_spans)
        qsort(r->spans, r->n_spans, sizeof *r->spans, by_clock);
    out->spans = r->spans;
    out->n_spans = r->n_spans;
    r->spans = NULL;
    r->came = NULL;
    r->requests = NULL;
    r->steps = NULL;
    r->n = 0;
    return out;
}
