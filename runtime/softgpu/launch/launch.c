/* launch.c: one launch from its configuration to its counters. Each thread takes blocks in order. A
 * block runs to its end, unless it polls memory for long (it may wait for another block) or the
 * launch is cooperative. Then it is set aside, and others take turns with it.
 */
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/exec/nested.h"
#include "runtime/softgpu/exec/print.h"
#include "runtime/softgpu/launch/launch.h"
#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/count/counters.h"
#include "runtime/softgpu/watch/count/poll.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/record/record.h"
#include "runtime/softgpu/watch/trace/trace.h"
#include "runtime/softgpu/watch/trace/waits.h"

#define INLINE_S 60e-6      /* longer launches call the pool's other threads */
#define MAX_RESIDENT 4096   /* blocks that a thread sets aside */
#define SOME_LOOKS 40000000 /* accesses of lanes in a check of some blocks */
#define COOPERATIVE_BLOCKS 132 * 32

/* Checks the launch's shape. The CUDA runtime has already reported errors in detail
 * (cudart/launch.c). */
static bool check_shape(const sg_launch *l, const sg_kernel_info *info, sg_error *err) {
    static const uint32_t grid_max[3] = {0x7fffffff, 65535, 65535}, block_max[3] = {1024, 1024, 64};
    uint64_t threads = 1, blocks = 1;
    size_t shared = info->static_shared + l->dynamic_shared;
    bool room = shared <= SG_SHARED_MAX && l->dynamic_shared <= shared, fits = true;
    for (int k = 0; k < 3; k++) {
        fits &= l->grid[k] && l->grid[k] <= grid_max[k];
        fits &= l->block[k] && l->block[k] <= block_max[k];
        blocks *= l->grid[k];
        threads *= l->block[k];
    }
    fits &= threads <= 1024 && threads <= info->max_threads;
    if (!room || !fits || (l->cooperative && blocks > COOPERATIVE_BLOCKS))
        return wb_fail(
            err, SG_ERR_INVALID_VALUE,
            _("%s can't have %u x %u x %u blocks of %u x %u x %u threads with %zu bytes of "
              "shared memory"),
            info->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
            shared);
    for (int k = 0; k < 3; k++)
        if (l->cluster[k] > 1) {
            err->code = sg_refused_code(SG_REFUSED_CLUSTERS, SG_ERR_NOT_SUPPORTED);
            sg_refused_text(SG_REFUSED_CLUSTERS, "softgpu", "", err->text, sizeof err->text);
            return false;
        }
    return true;
}

/* ---- the work of a thread ------------------------------------------------------------------ */

static void finish_block(sg_worker *me, sg_block *b) {
    sg_print_flush(b);
    sg_poll_end(b);
    sg_contention_block(me, b);
    if (me->run->order)
        sg_trace_block_ends(me->run->order, b);
    sg_block **spare = b->code == me->run->code ? &me->spare : &me->spare_plain;
    b->next = *spare;
    *spare = b;
    atomic_fetch_add(&me->run->done_blocks, 1);
}

static sg_block *next_block(sg_worker *me) {
    sg_run *run = me->run;
    if (atomic_load_explicit(&run->next_block, memory_order_relaxed) >= run->n_blocks)
        return NULL;
    uint64_t id = atomic_fetch_add(&run->next_block, 1);
    if (id >= run->n_blocks || (run->trace   ? sg_trace_enough(run->trace, id)
                                : run->order ? sg_trace_rested(run->order, id)
                                             : false))
        return NULL;
    bool watched = run->early  ? id == run->n_blocks - 1
                   : run->some ? id < sg_some_count(run->some)
                               : true;
    id = run->order  ? sg_trace_place(run->order, id)
         : run->some ? sg_some_block(run->some, id)
                     : id;
    if (run->record) {
        id = sg_recorder_place(run->record, run, id);
        watched &= sg_recorder_looks_at(run->record, run, id);
    }
    sg_block **spare = watched ? &me->spare : &me->spare_plain, *b = *spare;
    if (b)
        *spare = b->next;
    else
        b = sg_block_new(me, watched);
    if (!b) {
        sg_fault_run(run, SG_FAULT_MEMORY, _("the machine has no memory left for a block"));
        return NULL;
    }
    b->next = NULL;
    me->starting = b;
    sg_block_start(b, id);
    sg_block_check(b); /* billions of short blocks never look at the clock */
    me->starting = NULL;
    return b;
}

static void set_aside(sg_worker *me, sg_block *b) {
    b->next = NULL;
    if (me->residents_end)
        me->residents_end->next = b;
    else
        me->residents = b;
    me->residents_end = b;
    me->n_residents++;
}

static sg_block *take_resident(sg_worker *me) {
    sg_block *b = me->residents;
    if (!b)
        return NULL;
    me->residents = b->next;
    if (!me->residents)
        me->residents_end = NULL;
    me->n_residents--;
    return b;
}

static void help(sg_run *run); /* for a pool thread that joins the launch */

/* Returns true if several threads may run the launch. A race check and a sample use one thread, so
 * that their results are the same each time. */
static bool may_share(const sg_run *run) {
    if (sg_recorder_of_all(run->record) || (run->order && run->launch->options & SG_SAMPLE))
        return false;
    return !run->races || (run->some && atomic_load(&run->next_block) >= sg_some_count(run->some));
}

/* Runs blocks that wait for one another in the order of their clocks. */
static void work_in_turn(sg_worker *me) {
    sg_run *run = me->run;
    while (!atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        uint64_t started = atomic_load(&run->next_block);
        sg_block *b = NULL;
        if (sg_waits_starts(run->turns, started < run->n_blocks ? run->n_blocks - started : 0, &b))
            b = next_block(me);
        if (!b)
            break;
        me->running = b;
        bool done = sg_block_run(b, true);
        me->running = NULL;
        if (done)
            finish_block(me, b);
        else
            sg_waits_aside(run->turns, b);
    }
}

static void work(sg_worker *me) {
    sg_run *run = me->run;
    bool cooperative = run->launch->cooperative, woken = false;
    while (!atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        sg_block *b = me->n_residents < MAX_RESIDENT ? next_block(me) : NULL;
        if (!b)
            b = take_resident(me);
        if (!b)
            break;
        me->running = b;
        bool done = sg_block_run(b, cooperative || me->n_residents);
        me->running = NULL;
        if (done)
            finish_block(me, b);
        else
            set_aside(me, b);
        if (me->first && !woken && may_share(run) && !run->alone &&
            (!run->trace || sg_trace_quiet(run->trace)) && wb_now() - run->started > INLINE_S &&
            atomic_load(&run->next_block) < run->n_blocks) {
            woken = true;
            sg_pool_wake(run, help);
        }
    }
}

static void free_blocks(sg_block *b) {
    while (b) {
        sg_block *next = b->next;
        sg_block_free(b);
        b = next;
    }
}

static void work_guarded(sg_run *run, bool first) {
    sg_worker *me = calloc(1, sizeof *me);
    if (me)
        me->count = calloc(run->code->n_lines, sizeof *me->count);
    if (!me || !me->count) {
        free(me);
        sg_fault_run(run, SG_FAULT_MEMORY, _("the machine has no memory left for a thread"));
        return;
    }
    me->run = run;
    me->first = first;
    if (!_setjmp(me->fault_jump))
        run->turns ? work_in_turn(me) : work(me);
    pthread_mutex_lock(&run->lock);
    for (uint32_t k = 0; k < run->code->n_lines; k++)
        sg_count_add(&run->count[k], &me->count[k]);
    sg_contention_merge(run, me);
    if (run->longest_prints < me->longest_prints)
        run->longest_prints = me->longest_prints;
    pthread_mutex_unlock(&run->lock);
    if (me->running)
        sg_print_flush(me->running);
    sg_block_free(me->running);
    sg_block_free(me->starting);
    free_blocks(me->spare);
    free_blocks(me->spare_plain);
    free_blocks(me->residents);
    for (sg_block *b; run->turns && (b = sg_waits_take(run->turns)) != NULL;)
        sg_block_free(b);
    sg_contention_free(me->contention);
    WB_FREE(me->count, me);
}

static void help(sg_run *run) {
    work_guarded(run, false);
}

/* ---- the launch ---------------------------------------------------------------------------- */

/* Adds the counts of the run's blocks. */
static void add_counts(const sg_run *run, sg_launch *l) {
    sg_counters *c = &l->counters;
    for (uint32_t k = 0; k < run->code->n_lines; k++)
        sg_count_add(c, &run->count[k]);
    c->blocks += atomic_load(&run->done_blocks);
    c->warps = c->blocks * run->n_warps;
    c->threads = c->blocks * run->threads;
    c->longest_block =
        c->longest_block > run->longest_block ? c->longest_block : run->longest_block;
    if (c->longest_prints < run->longest_prints)
        c->longest_prints = run->longest_prints;
}

/* Returns the sectors that L2 reads from memory for atomic operations, by their share of its
 * requests. */
static double fills(const sg_traits *t) {
    double asked = t->l2_reads + t->l2_atomics;
    return asked > 0 ? t->dram_reads * t->l2_atomics / asked : 0;
}

/* Reports a launch of which `run` traced the first blocks, or all. */
static void report_trace(const sg_run *run, sg_launch *l) {
    const sg_counters *c = &l->counters;
    uint64_t watched = atomic_load(&run->done_blocks);
    sg_trace_report(run->trace, &l->traits);
    l->traits.warps = run->n_warps;
    l->traits.waits = run->waits;
    l->traits.ran = c->blocks;
    l->traits.queue = run->code->queue;
    l->traits.atomic_lanes = (double)c->global_atomic_operations /
                             (double)(c->global_atomic_requests + !c->global_atomic_requests);
    sg_queued queued = sg_contention_queued(run->contention);
    double all = (double)run->n_blocks / (double)(watched + !watched);
    l->traits.atomic_passes = (double)queued.passes * all;
    l->traits.answered_passes = (double)queued.answered * all;
    l->traits.answered_words = (double)queued.words * all;
    l->traits.atomic_fills = fills(&l->traits);
    l->traits.atomic_meets = (double)(c->global_atomic_passes - c->global_atomic_requests) * all;
    l->traits.atomic_words = (double)c->global_atomic_operations * all;
    l->traits.longest_issue = (double)c->longest_block;
    l->traits.longest_prints = (double)c->longest_prints;
    if (c->blocks == run->n_blocks) {
        l->traits.prints = (double)c->prints;
        l->traits.printed = (double)c->printed;
    }
    if (c->warp_instructions) {
        l->traits.lanes = (double)c->lane_instructions / (double)c->warp_instructions;
        l->traits.longest_share =
            fmin(1, SG_MODEL_ISSUE * (double)c->longest_block / (double)c->warp_instructions *
                        (double)c->blocks / (double)run->n_blocks);
    }
    if (watched < run->n_blocks)
        return;
    l->traits.shared_wavefronts = l->traits.shared_together *
                                  (double)(c->shared_load_wavefronts + c->shared_store_wavefronts +
                                           c->shared_atomic_wavefronts);
    l->traits.busiest_address = (double)queued.address;
    l->traits.busiest_queue = (double)queued.queue;
}

static void report_lines(const sg_run *run, sg_launch *l) {
    const sg_code *code = run->code;
    l->lines = calloc(code->n_lines, sizeof *l->lines);
    for (uint32_t k = 0; l->lines && k < code->n_lines; k++) {
        static const sg_counters none;
        if (!code->lines[k].line || !memcmp(&run->count[k], &none, sizeof none))
            continue;
        l->lines[l->n_lines++] =
            (sg_line_counters){code->lines[k].file, code->lines[k].line, run->count[k]};
    }
}

/* Returns true if the threads of a warp differ in one coordinate only, which rises by one. */
static bool rows_of_threads(const sg_launch *l) {
    uint32_t x = l->block[0], y = l->block[1], z = l->block[2];
    return x % SG_LANES == 0 || (y == 1 && z == 1) || (x == 1 && (y % SG_LANES == 0 || z == 1));
}

static bool reserve(sg_run *run, const sg_launch *l, uint32_t param_bytes) {
    run->params = aligned_alloc(64, (param_bytes + 127u) & ~63u);
    run->count = calloc(run->code->n_lines, sizeof *run->count);
    if (!run->params || !run->count)
        return false;
    memset(run->params, 0, (param_bytes + 127u) & ~63u);
    if (param_bytes)
        memcpy(run->params, l->params, param_bytes);
    if (!l->cooperative)
        return true;
    run->grid_workspace = sg_mem_alloc(SG_GRID_WORKSPACE, SG_MEM_DEVICE, "the grid barrier", NULL);
    if (!run->grid_workspace)
        return false;
    memset(run->grid_workspace, 0, SG_GRID_WORKSPACE);
    sg_mem_written(run->grid_workspace, SG_GRID_WORKSPACE);
    return true;
}

static void close_run(sg_run *run) {
    if (!run)
        return;
    if (run->grid_workspace)
        sg_mem_free(run->grid_workspace);
    sg_races_free(run->races);
    free(run->some);
    sg_recorder_free(run->record);
    sg_contention_free(run->contention);
    WB_FREE(run->params, run->count);
    pthread_cond_destroy(&run->idle);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

/* Returns NULL without memory. */
static sg_run *open_run(sg_launch *l, const sg_code *code, const sg_kernel_info *info) {
    sg_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->launch = l;
    run->code = run->plain = code;
    run->n_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    run->threads = l->block[0] * l->block[1] * l->block[2];
    run->n_warps = (run->threads + SG_LANES - 1) / SG_LANES;
    run->dynamic_shared = (uint32_t)l->dynamic_shared;
    run->shared_bytes = l->kernel->dynamic_offset + run->dynamic_shared;
    run->param_bytes = info->param_bytes;
    run->started = wb_now();
    run->progress = run->started;
    run->alone = code->options & SG_COUNT && code->waits;
    run->generation = atomic_load(&sg_interrupts);
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->idle, NULL);
    if (reserve(run, l, info->param_bytes))
        return run;
    close_run(run);
    return NULL;
}

static void run_blocks(sg_run *run) {
    if (run->launch->options & SG_RACECHECK)
        run->races = sg_races_new(run->launch->options & SG_SOME ? SOME_LOOKS : 0);
    sg_mem_enter();
    work_guarded(run, true);
    sg_pool_leave(run);
    sg_mem_leave();
}

/* Returns code without instrumentation. With `tells` it only counts each block's instructions. */
static const sg_code *plain(const sg_launch *l, bool tells, sg_error *err) {
    return sg_lower(l->kernel, (rows_of_threads(l) ? SG_RECORDS : 0) | (tells ? SG_TALLY : 0), err);
}

/* Runs the blocks that remain after a trace has seen enough. */
static int run_rest(sg_launch *l, const sg_kernel_info *info, sg_trace *trace, sg_error *err) {
    const sg_code *code = plain(l, true, err);
    sg_run *run = code ? open_run(l, code, info) : NULL;
    if (!code)
        return sg_refused_plain(err->code);
    if (!run) {
        wb_fail(err, SG_ERR_MEMORY, _("no memory for a launch"));
        return SG_ERR_MEMORY;
    }
    run->order = trace;
    run->next_block = l->counters.blocks;
    run_blocks(run);
    add_counts(run, l);
    close_run(run);
    return SG_OK;
}

/* Returns code that checks the last block of a plain launch, or NULL. The kernel's threads may end
 * before they reach a barrier, and the last block extends beyond the data's end. The check takes up
 * to ten times as long as a block. If the launch has few blocks, only the kernel's first launches
 * are checked. */
static const sg_code *looks_early(const sg_launch *l) {
    enum { MANY_BLOCKS = 256, FIRST = 4 };
    sg_error ignored = {0};
    if (l->options != SG_EARLY || !(l->kernel->n_shared || l->dynamic_shared) ||
        !sg_barrier_may_miss(l->kernel))
        return NULL;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (blocks < MANY_BLOCKS && atomic_fetch_add(&l->kernel->looks, 1) >= FIRST)
        return NULL;
    return sg_lower(l->kernel, SG_INITCHECK, &ignored);
}

static int run_launch(sg_launch *l, const sg_code *code, const sg_kernel_info *info,
                      sg_error *err) {
    const sg_code *early = looks_early(l);
    sg_run *run = open_run(l, early ? early : code, info);
    bool traces = l->options & SG_TRACE;
    sg_trace *trace = run && traces ? sg_trace_new(l, run->n_blocks, code) : NULL;
    int failed = SG_OK;
    if (!run || (traces && !trace)) {
        wb_fail(err, SG_ERR_MEMORY, _("no memory for a launch"));
        close_run(run);
        return SG_ERR_MEMORY;
    }
    run->early = early;
    run->plain = code;
    if (l->options & SG_SOME)
        run->some = sg_some_new(run->n_blocks, l->seed);
    bool partly = run->some || (l->options & ~(unsigned)SG_TRACE) == SG_RECORD;
    if (partly && !(run->plain = plain(l, false, err))) {
        close_run(run);
        return err && err->code ? sg_refused_plain(err->code) : SG_ERR_MEMORY;
    }
    if (traces) {
        run->trace = run->order = trace;
        run->arrives = sg_trace_arrive;
        run->opens = sg_trace_open;
        run->turns = sg_trace_turns(trace);
        run->may_go_on = run->turns ? sg_waits_may_go_on : NULL;
    }
    if (l->options & SG_RECORD && !(run->record = sg_recorder_new(l->wish, run))) {
        wb_fail(err, SG_ERR_MEMORY, _("no memory to record a launch"));
        sg_trace_free(trace);
        close_run(run);
        return SG_ERR_MEMORY;
    }
    if (run->record && !traces)
        run->opens = sg_recorder_opens(run->record);
    run_blocks(run);
    sg_nested_finish(run, l);
    if (run->record)
        l->recorded = sg_recorder_report(run->record);
    add_counts(run, l);
    l->counters.busiest_address = sg_contention_queued(run->contention).address;
    if (traces && sg_trace_leaves_rest(trace) && !l->fault.code)
        failed = run_rest(l, info, trace, err);
    if (traces) {
        report_trace(run, l);
        l->n_shares = sg_trace_shares(trace, &l->traits, &l->shares);
    }
    if (l->options & (SG_LINES | SG_RECORD))
        report_lines(run, l);
    sg_trace_free(trace);
    close_run(run);
    return failed;
}

int sg_launch_run(sg_launch *l, sg_error *err) {
    sg_kernel_info info;
    double started = wb_now();
    memset(&l->counters, 0, sizeof l->counters);
    memset(&l->fault, 0, sizeof l->fault);
    memset(&l->gone, 0, sizeof l->gone);
    memset(&l->traits, 0, sizeof l->traits);
    l->lines = NULL;
    l->n_lines = 0;
    l->shares = NULL;
    l->n_shares = 0;
    l->recorded = NULL;
    l->children = NULL;
    l->n_children = 0;
    if (!sg_kernel_describe(l->kernel, &info, err))
        return SG_ERR_INVALID_FUNCTION;
    sg_error why = {0};
    unsigned options = l->options & ~(unsigned)(SG_SAMPLE | SG_SHARES | SG_SOME | SG_EARLY);
    if (options & SG_RECORD)
        options |= SG_LINES | (l->wish->what >= SG_RECORD_VALUES ? SG_KEEPS : 0);
    if (options & (SG_LINES | SG_TRACE))
        options |= SG_COUNT;
    const sg_code *code = NULL;
    if (check_shape(l, &info, &why))
        code = options ? sg_lower(l->kernel, options, &why) : plain(l, false, &why);
    if (!code) {
        if (err)
            *err = why;
        return why.code ? sg_refused_plain(why.code) : SG_ERR_NOT_SUPPORTED;
    }
    int failed = run_launch(l, code, &info, err);
    l->seconds = wb_now() - started;
    return failed ? failed : l->fault.code;
}
