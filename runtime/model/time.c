/* time.c: a launch takes as long as its slowest limit, and a little more if others are near. Each
 * limit is computed as if it were alone. They are combined as a vector norm with the power
 * fit->norm. Instructions that share a unit (loads and passes in L1, arithmetic and the schedulers)
 * form one limit, the greatest.
 *
 * Only model_fitted and the time of an empty launch are fitted, on an H200 (`make
 * bench-model-fit`). Everything else is one of the GPU's figures. */
#include "runtime/model/time.h"
#include "runtime/base/scoped.h"

#include <assert.h>
#include <math.h>

const model_fit model_fitted = {
    .norm = 4, .block_clocks = 600, .warp_clocks = 10, .request_clocks = 1.2, .dirty_share = 0.25};

/* If lanes of a warp share an address, so do those of neighbouring warps at the addresses beside it
 * (sums of rows). Then only some queues work at a time. Such requests were 2 to 7 times faster on
 * an H200 than requests to a single address. */
#define MEETING_QUEUES 8.0
/* Seconds of printf(), which writes into one buffer for the whole GPU. CALL: for the calling warp.
 * QUEUE: for each call, since calls pass one after another. LANE: for each lane's line. The length
 * of a line hardly matters. Measured on an H100 (tests/gpu/print.cu). */
#define PRINT_CALL_S 23e-6
#define PRINT_QUEUE_S 2.2e-6
#define PRINT_LANE_S 0.3e-6
/* With at least this many waves, blocks end so unevenly that the last wave counts as half. */
#define WAVES_IN_STEP 6.0
/* Nine of ten launches were within these factors, by bound. */
#define SPREAD_THROUGHPUT 1.30
#define SPREAD_LATENCY 1.45

static double greatest(double a, double b) {
    return a > b ? a : b;
}

/* Returns the blocks of the busiest multiprocessor: a whole number if there are few. */
static double blocks_each(const model_gpu *gpu, double blocks, double resident) {
    double each = blocks / (double)gpu->multiprocessors;
    return each <= 2 * resident ? ceil(each) : each;
}

/* Returns the seconds for n warp instructions on the busiest multiprocessor, at `lanes` threads a
 * clock. */
static double pipe(const model_gpu *gpu, double n, double lanes) {
    return n && lanes ? n * 32 / lanes / gpu->clock_hz : 0;
}

static double waves_of(const model_gpu *gpu, double blocks, double resident) {
    double waves = blocks / ((double)gpu->multiprocessors * resident);
    return waves < WAVES_IN_STEP ? ceil(waves) : waves + 0.5;
}

static double block_clocks(const model_fit *fit, double warps) {
    return fit->block_clocks + fit->warp_clocks * warps;
}

double model_block_clocks(double warps) {
    return block_clocks(&model_fitted, warps);
}

/* Returns the seconds that L2 is busy. Atomic operations occupy it by sector among other requests,
 * and have units for one lane's word at a time. A returned old value takes longer in both. A sector
 * missing in L2 is read first. */
static double l2_busy(const model_gpu *g, const model_traits *t) {
    double more = 1 / g->l2_answer_share - 1;
    double passes = (t->atomic_passes + more * t->answered_passes) / g->l2_atomic_sectors_per_s;
    double words = (t->atomic_words + more * t->answered_words) / g->l2_atomic_words_per_s;
    double moved = t->l2_reads + t->l2_writes - t->l2_partial_writes + t->atomic_fills;
    return greatest(words, passes + moved * 32 / g->l2_bytes_per_s +
                               t->l2_partial_writes / g->l2_write_sectors_per_s);
}

static double printing(const model_traits *t) {
    double queue = greatest(t->prints * PRINT_QUEUE_S, t->printed * PRINT_LANE_S);
    return greatest(t->longest_prints * PRINT_CALL_S, queue);
}

/* Clocks if one multiprocessor had all the work: for shared memory, and together with L1. */
static double shared_clocks(const model_gpu *g, const model_traits *t) {
    return t->shared_wavefronts / g->shared_wavefronts;
}

static double l1_clocks(const model_gpu *g, const model_fit *fit, const model_traits *t) {
    double requests = t->l1_clocks + fit->request_clocks * t->l1_requests;
    return requests / g->l1_wavefronts + shared_clocks(g, t);
}

static void limits_of(const model_gpu *g, const model_fit *fit, const model_traits *t,
                      double resident, double *limits) {
    double share = greatest(blocks_each(g, t->blocks, resident) / t->blocks, t->longest_share);
    double chain = (t->chain + block_clocks(fit, t->warps)) * waves_of(g, t->blocks, resident);
    double issue = pipe(g, t->issued * share, 32 * (double)g->schedulers);
    issue = greatest(issue, pipe(g, (t->fp32 + t->half + t->multiply / 2) * share, g->fp32_lanes));
    issue = greatest(issue, pipe(g, t->half * share, g->half2_lanes));
    issue = greatest(issue, pipe(g, t->integer * share, g->integer_lanes));
    issue = greatest(issue, pipe(g, t->multiply * share, g->multiply_lanes));
    issue = greatest(issue, pipe(g, t->special * share, g->special_lanes));
    issue = greatest(issue, pipe(g, t->fp64 * share, g->fp64_lanes));
    double l1 = l1_clocks(g, fit, t) * share;
    double fill = t->l2_reads * 32 / g->l1_fill_bytes * share;
    issue = greatest(issue, t->constant_words * share * g->constant_clocks / g->clock_hz);
    double tensor = g->tensor_fp16_flops * g->mma_sync_share;
    limits[MODEL_ISSUE] = issue;
    limits[MODEL_TENSOR] = t->tensor && tensor ? t->tensor * share / tensor / g->clock_hz : 0;
    limits[MODEL_L1] =
        greatest(greatest(l1, fill) / g->clock_hz, pipe(g, t->memory * share, g->load_store_lanes));
    limits[MODEL_L2] = l2_busy(g, t);
    limits[MODEL_DRAM] = (t->dram_sectors + fit->dirty_share * t->dirty_sectors) * 32 /
                         (g->dram_bytes_per_s * g->dram_copy_share);
    limits[MODEL_ATOMICS] =
        greatest(greatest(t->busiest_address, t->atomic_meets / MEETING_QUEUES) * g->atomic_queue_s,
                 t->busiest_queue * g->atomic_pass_s);
    limits[MODEL_PRINT] = printing(t);
    double last = t->last_end ? t->last_end + block_clocks(fit, t->warps) : 0;
    limits[MODEL_BLOCKS] = last / g->clock_hz;
    chain = last ? 0 : greatest(chain, t->longest_chain);
    limits[MODEL_LATENCY] = greatest(chain / g->clock_hz, t->blocks * g->block_start_s);
}

model_time model_time_of(const model_gpu *gpu, const model_traits *traits,
                         const model_occupancy *occupancy) {
    return model_time_with(&model_fitted, gpu, traits, occupancy);
}

model_time model_time_with(const model_fit *fit, const model_gpu *gpu, const model_traits *traits,
                           const model_occupancy *occupancy) {
    model_time time = {0};
    double sum = 0;
    limits_of(gpu, fit, traits, (double)occupancy->blocks, time.limits);
    for (int k = 0; k < MODEL_LAUNCH; k++)
        if (time.limits[k] > time.limits[time.bound])
            time.bound = (model_bound)k;
    double most = time.limits[time.bound];
    for (int k = 0; k < MODEL_LAUNCH; k++)
        sum += most ? pow(time.limits[k] / most, fit->norm) : 0;
    time.seconds = gpu->launch_s + most * pow(sum, 1 / fit->norm);
    time.shared = shared_clocks(gpu, traits) > 0.5 * l1_clocks(gpu, fit, traits);
    time.limits[MODEL_LAUNCH] = gpu->launch_s;
    if (gpu->launch_s > most)
        time.bound = MODEL_LAUNCH;
    double spread = time.bound >= MODEL_LATENCY ? SPREAD_LATENCY : SPREAD_THROUGHPUT;
    time.low = time.seconds / spread;
    time.high = time.seconds * spread;
    return time;
}

/* Returns the traits minus a little of the part. */
static model_traits without(const model_traits *all, const model_traits *part, double little) {
    double from[sizeof *all / sizeof(double)], what[WB_COUNT(from)];
    model_traits left;
    static_assert(sizeof from == sizeof left, "figures of a launch are doubles");
    memcpy(from, all, sizeof from);
    memcpy(what, part, sizeof what);
    for (size_t k = 0; k < WB_COUNT(from); k++)
        from[k] -= little * what[k];
    memcpy(&left, from, sizeof left);
    return left;
}

model_share model_share_of(const model_gpu *gpu, const model_traits *traits,
                           const model_traits *part, const model_occupancy *occupancy) {
    static const double little = 1e-5;
    const model_fit *fit = &model_fitted;
    double limits[MODEL_BOUNDS] = {0}, less[MODEL_BOUNDS] = {0}, most = 0, sum = 0;
    model_time time = model_time_of(gpu, traits, occupancy);
    model_traits left = without(traits, part, little);
    model_share share = {0};
    limits_of(gpu, fit, traits, (double)occupancy->blocks, limits);
    limits_of(gpu, fit, &left, (double)occupancy->blocks, less);
    for (int k = 0; k < MODEL_LAUNCH; k++)
        most = greatest(most, limits[k]);
    for (int k = 0; k < MODEL_LAUNCH; k++)
        sum += most > 0 ? pow(limits[k] / most, fit->norm) : 0;
    for (int k = 0; k < MODEL_LAUNCH && most > 0; k++) {
        double weight = limits[k] > 0 ? pow(limits[k] / most, fit->norm) / sum : 0;
        double its = limits[k] > 0 ? (limits[k] - less[k]) / little / limits[k] : 0;
        share.limits[k] = (1 - gpu->launch_s / time.seconds) * weight * its;
        share.all += share.limits[k];
    }
    return share;
}

const char *model_bound_name(model_bound bound) {
    static const char *const names[] = {
        N_("issue"),   N_("tensor cores"), N_("L1 and shared memory"), "L2",          N_("memory"),
        N_("atomics"), "printf",           N_("other blocks"),         N_("latency"), N_("launch")};
    return names[bound];
}

/* ---- messages ------------------------------------------------------------------------------ */

static const char *const reasons[] = {
    [MODEL_ISSUE] =
        N_("The multiprocessors are busy with instructions: use fewer instructions per result"),
    [MODEL_TENSOR] = N_("The tensor cores are busy, as they should be"),
    [MODEL_L1] = N_("L1 and shared memory are at their limit: let neighbouring threads access "
                    "neighbouring words, or keep data in registers"),
    [MODEL_L2] = N_("L2 is at its limit: use fewer sectors per request, or more of each sector"),
    [MODEL_DRAM] = N_("The memory is at its limit: move fewer bytes"),
    [MODEL_ATOMICS] = N_("Atomic operations queue at addresses that many threads use at once: "
                         "add up within a warp or a block first"),
    [MODEL_PRINT] = N_("printf() holds the launch up: a call takes about 23 us, and all calls "
                       "pass through one buffer in turn. Remove it before you measure time"),
    [MODEL_BLOCKS] = N_("Blocks wait for one another: do less work inside locks, use fewer "
                        "grid-wide steps, or make blocks independent"),
    [MODEL_LATENCY] = N_("Warps mostly wait for loads, barriers or earlier results: use more "
                         "warps, or more independent loads in each warp"),
    [MODEL_LAUNCH] = N_("The launch itself takes most of the time: do more work in one launch")};

static const char *const nearby[] = {[MODEL_ISSUE] = N_("its instructions"),
                                     [MODEL_TENSOR] = N_("the tensor cores"),
                                     [MODEL_L1] = N_("L1 and shared memory"),
                                     [MODEL_L2] = "L2",
                                     [MODEL_DRAM] = N_("the memory"),
                                     [MODEL_ATOMICS] = N_("the atomic operations"),
                                     [MODEL_PRINT] = "printf()",
                                     [MODEL_BLOCKS] = N_("waiting for other blocks"),
                                     [MODEL_LATENCY] = N_("waiting"),
                                     [MODEL_LAUNCH] = N_("the launch itself")};

/* With at most this many active lanes, idle lanes are the reason why a multiprocessor is busy. */
#define LANES_IDLE 24.0

char *model_reason(const model_time *time, double lanes) {
    model_bound bound = time->bound;
    if (bound == MODEL_L1 && time->shared)
        return strdup(
            _("Shared memory is at its limit: lanes that use different words of one bank take "
              "turns. Pad each row by one word, or keep data in registers"));
    if (bound != MODEL_ISSUE || lanes <= 0 || lanes > LANES_IDLE)
        return wb_format("%s", wb_tr(reasons[bound]));
    return wb_format(
        _("The multiprocessors are busy with instructions, but on average only %.3g of "
          "a warp's 32 lanes are active. The others wait at branches or loops, and a "
          "warp takes as long for one lane as for 32. Let the lanes of a warp take the "
          "same branch, and divide the work evenly among them"),
        lanes);
}

char *model_sentence(const model_time *t, double lanes) {
    int next = -1;
    for (int k = 0; k < MODEL_BOUNDS; k++)
        if (k != (int)t->bound && (next < 0 || t->limits[k] > t->limits[next]))
            next = k;
    double share = t->limits[t->bound] ? t->limits[next] / t->limits[t->bound] : 0;
    WB_SCOPED char *first = model_reason(t, lanes);
    return share < 0.05 ? wb_format("%s.", first)
                        : wb_format(_("%s. Second limit: %s (%.0f %% of the first)."), first,
                                    wb_tr(nearby[next]), 100 * share);
}
