/* predict.c: the GPU that softgpu models (the file $WARPBOOK_SOFTGPU_MODEL), and the figures of it
 * that a traced launch needs. */
#include "runtime/softgpu/cudart/soft/predict.h"

#include <inttypes.h>
#include <pthread.h>

#include "runtime/json/json.h"
#include "runtime/model/time.h"

static model_gpu wanted;
static bool is_wanted;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_environment(void) {
    const char *file = wb_setting("WARPBOOK_SOFTGPU_MODEL");
    wb_error err = {0};
    if (file == NULL)
        return;
    is_wanted = model_gpu_load(file, &wanted, &err);
    if (!is_wanted)
        fprintf(stderr, _("softgpu: no times of a GPU: %s\n"), err.text);
}

const model_gpu *soft_predict_gpu(void) {
    pthread_once(&once, read_environment);
    return is_wanted ? &wanted : NULL;
}

bool soft_predict_by_default(void) {
    return soft_predict_gpu() != NULL && wb_setting_on("WARPBOOK_SOFTGPU_TRACE", true);
}

void soft_predict_describe(rt_device *device) {
    const model_gpu *g = soft_predict_gpu();
    struct cudaDeviceProp *p = &device->prop;
    if (g == NULL || !wb_setting_on("WARPBOOK_SOFTGPU_DESCRIBE", true))
        return;
    snprintf(p->name, sizeof p->name, "%.200s (softgpu)", g->device_name);
    p->major = (int)(g->capability / 10);
    p->minor = (int)(g->capability % 10);
    p->multiProcessorCount = (int)g->multiprocessors;
    p->integrated = 0;
    p->l2CacheSize = (int)g->l2_bytes;
    p->memoryBusWidth = (int)g->memory_bus_bits;
    p->maxThreadsPerMultiProcessor = (int)g->max_threads;
    p->maxBlocksPerMultiProcessor = (int)g->max_blocks;
    p->regsPerMultiprocessor = p->regsPerBlock = (int)g->registers;
    p->sharedMemPerMultiprocessor = g->shared_bytes;
    p->sharedMemPerBlockOptin = g->max_block_shared_bytes;
    p->reservedSharedMemPerBlock = g->shared_reserved_bytes;
    device->clock_khz = (int)(g->clock_hz / 1000);
    device->memory_clock_khz = (int)(g->memory_clock_hz / 1000);
}

/* ---- a launch -------------------------------------------------------------------------------- */

static uint32_t clocks(double figure) {
    return figure > 1 ? (uint32_t)(figure + 0.5) : 1;
}

/* Tensor cores of all cards have about the same latency: arXiv 2402.13499, m16n8k16 of halves. */
#define TENSOR_CLOCKS 33

static void latencies(uint32_t *latency) {
    latency[SG_LATENCY_ALU] = clocks(wanted.arithmetic_clocks);
    latency[SG_LATENCY_SPECIAL] = clocks(wanted.special_clocks);
    latency[SG_LATENCY_FP64] = clocks(wanted.fp64_clocks);
    latency[SG_LATENCY_TENSOR] = TENSOR_CLOCKS;
    latency[SG_LATENCY_SHUFFLE] = clocks(wanted.shuffle_clocks);
    latency[SG_LATENCY_BARRIER] = clocks(wanted.barrier_clocks);
    latency[SG_LATENCY_SHARED] = clocks(wanted.shared_clocks);
    latency[SG_LATENCY_SHARED_ATOMIC] = clocks(wanted.shared_atomic_clocks);
    latency[SG_LATENCY_L1] = clocks(wanted.l1_clocks);
    latency[SG_LATENCY_L2] = clocks(wanted.l2_clocks);
    latency[SG_LATENCY_DRAM] = clocks(wanted.dram_clocks);
    latency[SG_LATENCY_ATOMIC] = clocks(wanted.atomic_clocks);
    latency[SG_LATENCY_FENCE] = clocks(wanted.fence_clocks);
}

/* Returns the clocks that a word takes from block to block. The measured value includes one load
 * that finds it and, on average, half of one that came too early. */
static uint32_t seen_clocks(void) {
    double way = wanted.fresh_clocks - 1.5 * wanted.l2_clocks;
    return way > 0 ? (uint32_t)way : 0;
}

model_gpu soft_predict_gpu_for(const soft_prediction *p) {
    model_gpu gpu = wanted;
    if (p->launch_s > 0)
        gpu.launch_s = p->launch_s;
    return gpu;
}

bool soft_predict_open(const rt_launch *l, bool traced, soft_prediction *p, sg_error *err) {
    const sg_kernel_info *info = &l->kernel->info;
    model_resources resources = {0};
    *p = (soft_prediction){.wanted = traced, .registers = traced ? info->registers : 1};
    if (l->in_a_row)
        p->launch_s = MODEL_GRAPH_LAUNCH_S;
    p->compiled = traced && rt_resources(l->kernel, (unsigned)wanted.capability, &resources);
    if (p->compiled) {
        p->registers = resources.registers;
        p->spilled = resources.spill_store_bytes;
        p->spills = (double)(resources.spill_store_bytes + resources.spill_load_bytes) / 4;
    }
    model_block block = {.threads = (uint64_t)l->block.x * l->block.y * l->block.z,
                         .registers = p->registers,
                         .shared_bytes = info->static_shared + l->shared};
    if (!model_occupancy_of(&wanted, &block, &p->occupancy, err)) {
        err->code = cudaErrorInvalidValue;
        return false;
    }
    uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    uint64_t each = (blocks + wanted.multiprocessors - 1) / wanted.multiprocessors;
    uint64_t resident = each < p->occupancy.blocks ? each : p->occupancy.blocks;
    uint64_t shared = resident * p->occupancy.shared_bytes;
    p->patience = wb_setting_seconds("WARPBOOK_SOFTGPU_SAMPLE", 0);
    latencies(p->gpu.latency);
    p->gpu.l1_bytes = (wanted.l1_bytes > shared ? wanted.l1_bytes - shared : 0) / resident;
    p->gpu.blocks_each = each;
    p->gpu.l2_bytes = wanted.l2_bytes / wanted.l2_partitions;
    p->gpu.l1_lines_per_clock = wanted.l1_tags;
    p->gpu.l2_sectors_per_clock = wanted.l1_fill_bytes / 32;
    p->gpu.constant_clocks = wanted.constant_clocks;
    p->gpu.seed = soft_seed();
    p->gpu.clocks_per_ns = wanted.clock_hz * 1e-9;
    p->gpu.block_clocks = model_block_clocks((double)((block.threads + 31) / 32));
    p->gpu.block_apart_clocks = wanted.block_start_s * wanted.clock_hz;
    p->gpu.atomic_pass_clocks = wanted.atomic_pass_s * wanted.clock_hz;
    p->gpu.seen_clocks = seen_clocks();
    p->gpu.resident = p->occupancy.blocks * (uint64_t)wanted.multiprocessors;
    return true;
}

/* ---- the time of a launch -------------------------------------------------------------------- */

/* Adds spills. They go through L1 as often as their code runs, estimated by the average
 * instruction. */
static void add_spills(const soft_prediction *p, model_traits *all) {
    double words = p->spills * p->traits.repeats; /* per warp */
    double everywhere = words * (double)p->traits.blocks * p->traits.warps;
    all->issued += everywhere;
    all->memory += everywhere;
    all->l1_clocks += everywhere;
    all->chain += words;
    all->longest_chain += words;
    all->last_end += all->last_end ? words : 0;
}

/* Returns the time of one lane's operation, in units of a float atomic on its address. */
static double queue_of(const sg_traits *t) {
    double integer = wanted.atomic_int_queue_s / wanted.atomic_queue_s;
    if (t->queue == SG_QUEUE_WARP && t->atomic_lanes > 1)
        return integer / t->atomic_lanes;
    return t->queue == SG_QUEUE_FLOAT ? 1 : integer;
}

static model_traits traits_of(const sg_traits *t, double queue) {
    return (model_traits){.blocks = (double)t->blocks,
                          .warps = t->warps,
                          .issued = t->issued,
                          .fp32 = t->pipes[SG_PIPE_FMA],
                          .half = t->pipes[SG_PIPE_HALF],
                          .integer = t->pipes[SG_PIPE_ALU],
                          .multiply = t->pipes[SG_PIPE_IMAD],
                          .special = t->pipes[SG_PIPE_SPECIAL],
                          .fp64 = t->pipes[SG_PIPE_FP64],
                          .tensor = t->pipes[SG_PIPE_TENSOR],
                          .memory = t->pipes[SG_PIPE_MEMORY],
                          .l1_clocks = t->l1_clocks,
                          .l1_requests = t->l1_requests,
                          .shared_wavefronts = t->shared_wavefronts,
                          .l2_reads = t->l2_reads,
                          .l2_writes = t->l2_writes,
                          .l2_partial_writes = t->l2_partial_writes,
                          .dram_sectors = t->dram_reads + t->dram_writes,
                          .dirty_sectors = t->dirty,
                          .busiest_address = t->busiest_address * queue,
                          .busiest_queue = t->busiest_queue,
                          .atomic_passes = t->atomic_passes,
                          .atomic_meets = t->atomic_meets * queue,
                          .atomic_words = t->atomic_words,
                          .answered_passes = t->answered_passes,
                          .answered_words = t->answered_words,
                          .atomic_fills = t->atomic_fills,
                          .constant_words = t->constant_words,
                          .chain = t->chain,
                          .longest_chain = t->longest_chain,
                          .last_end = t->last_end,
                          .longest_share = t->longest_share,
                          .prints = t->prints,
                          .printed = t->printed,
                          .longest_prints = t->longest_prints};
}

static model_traits whole_of(const soft_prediction *p) {
    model_traits all = traits_of(&p->traits, queue_of(&p->traits));
    add_spills(p, &all);
    return all;
}

/* Returns true if an untraced block has much more work than most. A warp would need at least a
 * clock for each instruction. */
static bool missed_the_longest(const sg_traits *t) {
    double warps = t->warps > 4 ? t->warps : 4;
    return t->longest_share * (double)t->blocks > 4 &&
           t->longest_chain < 0.5 * 4 * t->longest_issue / warps;
}

/* Returns the reason in words, without a full stop; NULL if there is a time. */
static const char *no_time_words(enum sg_no_time why) {
    switch (why) {
    case SG_HAS_TIME:
        break;
    case SG_DEPENDS:
        return _("what its blocks do depends on what they read");
    case SG_DEPENDS_PARTLY:
        return _("what its blocks do depends on what they read, and an earlier launch may have "
                 "written only a part of that: `warpbook run --model` runs all of both");
    case SG_MANY_WAYS:
        return _("its instructions move from block to block in too many ways");
    case SG_PLACELESS:
        return _("what a block reads and writes does not follow from its place in the grid");
    case SG_UNEVEN:
        return _("some of its blocks have more to do than others");
    case SG_PRINTS_UNEVENLY:
        return _("some of its blocks print more than others");
    case SG_FEW_LONG_BLOCKS:
        return _("its blocks take long, and are too few for a sample");
    case SG_LONG_BLOCK:
        return _("one of its blocks would take more than a second");
    case SG_UNSEEN:
        return _("much of its work is in blocks that differ from those that the model traced");
    case SG_TRIES:
        return _("its threads try atomicCAS() again until no other thread has come between, and "
                 "the model does not know how often that is");
    }
    return NULL;
}

/* Returns the reason why the launch has no time; NULL if it has one. */
static const char *unknown(const soft_prediction *p) {
    if (p->traits.waits)
        return _("its blocks wait for one another, and are more than the model follows, 65,536");
    if (p->traits.no_time)
        return no_time_words(p->traits.no_time);
    if (p->traits.traced == 0)
        return _("it did not run to its end");
    if (missed_the_longest(&p->traits))
        return _("one of its blocks does far more than most, and the model has not looked at that "
                 "one");
    return NULL;
}

/* Appends the launch to $WARPBOOK_SOFTGPU_TRAITS, one line for each modelled launch: seconds,
 * resident blocks, and the other inputs of the model in time.h's order. */
static void note(const model_traits *traits, const model_occupancy *occupancy, double seconds) {
    const char *file = wb_setting("WARPBOOK_SOFTGPU_TRAITS");
    FILE *f = file != NULL ? fopen(file, "a") : NULL;
    double figures[sizeof *traits / sizeof(double)];
    if (f == NULL)
        return;
    memcpy(figures, traits, sizeof figures);
    fprintf(f, "%.17g %" PRIu64, seconds, occupancy->blocks);
    for (size_t k = 0; k < WB_COUNT(figures); k++)
        fprintf(f, " %.17g", figures[k]);
    fputc('\n', f);
    fclose(f);
}

/* ---- source lines --------------------------------------------------------------------------- */

enum { MOST_LINES = 64 };
#define LEAST_SHARE 0.0005 /* smaller shares get no row */

static int by_share(const void *a, const void *b) {
    const soft_line *x = a, *y = b;
    if (x->share.all != y->share.all)
        return x->share.all < y->share.all ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static soft_line line_of(const soft_prediction *p, const model_traits *whole,
                         const sg_line_traits *of) {
    model_traits part = traits_of(&of->part, queue_of(&p->traits));
    if (whole->chain > 0) /* waiting for others takes the same share as the blocks' own time */
        part.last_end = whole->last_end * part.chain / whole->chain;
    model_gpu gpu = soft_predict_gpu_for(p);
    soft_line line = {.file = of->file,
                      .line = of->line,
                      .elsewhere = of->elsewhere,
                      .share = model_share_of(&gpu, whole, &part, &p->occupancy)};
    for (int k = 1; k < SG_WAITS; k++)
        if (of->waits[k] > of->waits[line.waits])
            line.waits = (enum sg_wait)k;
    return line;
}

void soft_predict_divide(soft_prediction *p, const sg_line_traits *lines, size_t n) {
    p->n_lines = 0;
    p->lines = p->wanted && n > 0 ? malloc(n * sizeof *p->lines) : NULL;
    if (p->lines == NULL)
        return;
    model_traits whole = whole_of(p);
    for (size_t k = 0; k < n; k++)
        p->lines[k] = line_of(p, &whole, &lines[k]);
    qsort(p->lines, n, sizeof *p->lines, by_share);
    while (p->n_lines < n && p->n_lines < MOST_LINES &&
           p->lines[p->n_lines].share.all >= LEAST_SHARE)
        p->n_lines++;
}

static const char *const waits[] = {[SG_WAIT_TURN] = "their turn",
                                    [SG_WAIT_ARITHMETIC] = "arithmetic",
                                    [SG_WAIT_LOAD] = "loads",
                                    [SG_WAIT_SHARED] = "shared memory",
                                    [SG_WAIT_ATOMIC] = "atomic operations",
                                    [SG_WAIT_BARRIER] = "the barrier",
                                    [SG_WAIT_SLEEP] = "nanosleep",
                                    [SG_WAIT_BLOCK] = "another block"};

static json_t *line_json(const soft_line *line) {
    json_t *limits = json_object();
    for (int k = 0; k < MODEL_BOUNDS; k++)
        if (line->share.limits[k] >= LEAST_SHARE)
            json_object_set_new(limits, model_bound_name((model_bound)k),
                                json_real(line->share.limits[k]));
    json_t *o = wb_json_pack("{s:s?, s:I, s:b, s:f, s:o}", "file", line->file, "line",
                             (json_int_t)line->line, "header", (int)line->elsewhere, "share",
                             line->share.all, "limits", limits);
    if (line->share.limits[MODEL_LATENCY] + line->share.limits[MODEL_BLOCKS] >= LEAST_SHARE)
        json_object_set_new(o, "waits_for", json_string(waits[line->waits]));
    return o;
}

/* Returns [{"file","line","header","share","limits":{"memory":..},"waits_for":"loads"}]: shares of
 * the time, in total and by limit. waits_for is present if `latency` is one of them. */
static json_t *lines_json(const soft_prediction *p) {
    json_t *lines = json_array();
    for (size_t k = 0; k < p->n_lines; k++)
        json_array_append_new(lines, line_json(&p->lines[k]));
    return lines;
}

json_t *soft_predict_json(const soft_prediction *p) {
    if (!p->wanted)
        return NULL;
    json_t *o = wb_json_pack("{s:s, s:s, s:b}", "gpu", wanted.name, "title", wanted.title,
                             "measured", (int)wanted.measured);
    if (p->traits.ran < p->traits.blocks)
        json_object_set_new(o, "ran", json_integer((json_int_t)p->traits.ran));
    if (unknown(p) != NULL) {
        json_object_set_new(o, "why", json_string(unknown(p)));
        return o;
    }
    model_traits traits = whole_of(p);
    model_gpu gpu = soft_predict_gpu_for(p);
    model_time time = model_time_of(&gpu, &traits, &p->occupancy);
    note(&traits, &p->occupancy, time.seconds);
    char *sentence = model_sentence(&time, p->traits.lanes);
    char *reason = model_reason(&time, p->traits.lanes);
    json_t *limits = json_object();
    for (int k = 0; k < MODEL_BOUNDS; k++)
        json_object_set_new(limits, model_bound_name((model_bound)k), json_real(time.limits[k]));
    json_t *all = wb_json_pack(
        "{s:f, s:f, s:f, s:s, s:o, s:s?, s:s?, s:I, s:I, s:s, s:I}", "seconds", time.seconds, "low",
        time.low, "high", time.high, "bound", model_bound_name(time.bound), "limits", limits,
        "sentence", sentence, "reason", reason, "resident", (json_int_t)p->occupancy.blocks,
        "registers", (json_int_t)p->registers, "registers_by", p->compiled ? "ptxas" : "estimate",
        "spilled", (json_int_t)p->spilled);
    json_object_update(o, all);
    json_decref(all);
    if (p->n_lines > 0)
        json_object_set_new(o, "lines", lines_json(p));
    WB_FREE(sentence, reason);
    return o;
}
