/* bench.c: the buffers of a size, the checks, the rounds. */
#include "runtime/compare/program/bench.h"

#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/compare/program/emit.h"

enum {
    MOST_SETS = 64, /* of buffers, rotated */
    MOST_ROUNDS = 2000,
    GUARD = 1024, /* guard bytes around the output on a GPU; softgpu checks every access */
    GUARD_BYTE = 0xA5,
    SOFTGPU_COUNT = 1, /* softgpu_set_options: count; also races and uninitialised reads */
    SOFTGPU_ALL = 1 | 2 | 4,
    SOFTGPU_TRACE = 16,
    /* Fills the output before a call. With beta 0 a product must not read C, here NaN. A sum or a
     * maximum that reads uninitialised memory becomes visibly large. */
    POISON_NAN = 0xFF,
    POISON_LARGE = 0x7E,
    LEAST_RUNS = 5, /* of a kernel that has used its share of time */
};

/* Device memory of one set. Each buffer has the largest size that any subject needs. */
typedef struct buffer_set {
    char *a_block, *b_block, *c_block; /* the allocations: with shifts, and c with its guards */
    void *a, *b, *c, *work;
} buffer_set;

/* The result of one call. */
typedef enum outcome { RIGHT, REFUSED, WRONG } outcome;

typedef struct bench {
    const bench_device *device;
    launch_clock *clock;
    const bench_options *o;
    const subject *subjects;
    size_t n, size_index;
    wbk_size size;
    size_t a_bytes, b_bytes, c_bytes, work_bytes, guard;
    size_t shift;        /* bytes between an aligned address and c */
    size_t inputs_shift; /* the same for a and b; counts and results stay aligned to their size */
    buffer_set sets[MOST_SETS];
    size_t n_sets;
    void *a, *b, *c, *result; /* host buffers: inputs, c before, c after */
    double error;             /* of the last check (data_check) */
    bool tracing;             /* calls are traced for modelled times */
    bool *failed;             /* failed at this size, so no longer takes part */
    size_t wrong;
} bench;

static arguments arguments_of(const bench *b, const buffer_set *set) {
    return (arguments){.type = b->o->type,
                       .size = b->size,
                       .alpha = b->o->alpha,
                       .beta = b->o->beta,
                       .a = set->a,
                       .b = set->b,
                       .c = set->c,
                       .work = set->work};
}

static bool counts(const bench *b) {
    return b->subjects[0].kernel.shape == WBK_HISTOGRAM;
}

/* Returns the bytes of an element of c. */
static size_t output_width(const bench *b) {
    return counts(b) ? sizeof(int) : wbk_type_size(wbk_result_type(b->o->type));
}

/* ---- buffers ------------------------------------------------------------------------------ */

static void measure_buffers(bench *b) {
    size_t width = wbk_type_size(b->o->type);
    for (size_t i = 0; i < b->n; i++) {
        wbk_elements e = wbk_buffer_elements(&b->subjects[i].kernel, b->size);
        b->a_bytes = e.a * width > b->a_bytes ? e.a * width : b->a_bytes;
        b->b_bytes = e.b * width > b->b_bytes ? e.b * width : b->b_bytes;
        b->c_bytes = e.c * width > b->c_bytes ? e.c * width : b->c_bytes;
        b->work_bytes = e.work * width > b->work_bytes ? e.work * width : b->work_bytes;
    }
    b->guard = b->device->soft ? 0 : GUARD;
    b->inputs_shift = b->o->offset * width;
    b->shift = b->o->offset * output_width(b);
}

static cudaError_t allocate_set(const bench *b, buffer_set *set) {
    cudaError_t status = cudaMalloc((void **)&set->c_block, b->shift + b->c_bytes + 2 * b->guard);
    if (status == cudaSuccess && b->a_bytes)
        status = cudaMalloc((void **)&set->a_block, b->inputs_shift + b->a_bytes);
    if (status == cudaSuccess && b->b_bytes)
        status = cudaMalloc((void **)&set->b_block, b->inputs_shift + b->b_bytes);
    if (status == cudaSuccess && b->work_bytes)
        status = cudaMalloc(&set->work, b->work_bytes);
    set->a = set->a_block ? set->a_block + b->inputs_shift : NULL;
    set->b = set->b_block ? set->b_block + b->inputs_shift : NULL;
    set->c = set->c_block ? set->c_block + b->shift + b->guard : NULL;
    return status;
}

static void free_set(buffer_set *set) {
    cudaFree(set->a_block);
    cudaFree(set->b_block);
    cudaFree(set->c_block);
    cudaFree(set->work);
}

/* Returns the number of sets: enough to pass four L2 caches before a set is used again. */
static size_t sets_wanted(const bench *b) {
    size_t bytes = b->a_bytes + b->b_bytes + b->c_bytes + b->work_bytes + 2 * b->guard;
    if (b->device->soft || b->o->check_only || bytes == 0)
        return 1;
    size_t sets = b->device->l2_bytes * 4 / bytes + 2;
    size_t fit = (size_t)((double)b->device->free_bytes * 0.8 / (double)bytes);
    sets = sets > MOST_SETS ? MOST_SETS : sets;
    sets = sets > fit ? fit : sets;
    return sets ? sets : 1;
}

/* Returns how much a shape demands of its input. Sums need numbers that add exactly. Copies take
 * any, also patterns that show each bit. */
static int demand(wbk_shape shape) {
    switch (shape) {
    case WBK_ACCESS:
    case WBK_COPY:
    case WBK_TRANSPOSE:
        return 0;
    case WBK_MAXIMUM:
        return 1;
    default:
        return 2;
    }
}

static void fill_inputs(bench *b, data_mode mode) {
    arguments g = arguments_of(b, &b->sets[0]);
    /* All subjects share their inputs. Of those with the largest a, the most demanding one fills a;
     * one that updates fills c. */
    const wbk_kernel *fills = NULL;
    for (size_t i = 0; i < b->n; i++) {
        const wbk_kernel *kernel = &b->subjects[i].kernel;
        size_t bytes = wbk_buffer_elements(kernel, b->size).a * wbk_type_size(b->o->type);
        if (kernel->shape == WBK_UPDATE)
            data_fill(kernel, mode, &g, b->o->seed, b->a, b->b, b->c);
        else if (bytes == b->a_bytes && (!fills || demand(kernel->shape) > demand(fills->shape)))
            fills = kernel;
    }
    if (fills)
        data_fill(fills, mode, &g, b->o->seed, b->a, b->b, b->c);
}

static cudaError_t upload(const bench *b, const buffer_set *set) {
    cudaError_t status = cudaSuccess;
    if (b->a_bytes)
        status = cudaMemcpy(set->a, b->a, b->a_bytes, cudaMemcpyHostToDevice);
    if (status == cudaSuccess && b->b_bytes)
        status = cudaMemcpy(set->b, b->b, b->b_bytes, cudaMemcpyHostToDevice);
    return status;
}

static bool open_buffers(bench *b) {
    measure_buffers(b);
    b->a = malloc(b->a_bytes + 1);
    b->b = malloc(b->b_bytes + 1);
    b->c = calloc(1, b->c_bytes + 1);
    b->result = malloc(b->shift + b->c_bytes + 2 * b->guard + 1);
    b->failed = calloc(b->n, sizeof *b->failed);
    if (!b->a || !b->b || !b->c || !b->result || !b->failed)
        return false;
    for (size_t i = 0; i < b->n; i++) {
        char why[300];
        b->failed[i] =
            !wbk_takes_size(&b->subjects[i].kernel, b->o->type, b->size, why, sizeof why);
    }
    size_t wanted = sets_wanted(b);
    for (; b->n_sets < wanted; b->n_sets++)
        if (allocate_set(b, &b->sets[b->n_sets]) != cudaSuccess) {
            free_set(&b->sets[b->n_sets]);
            b->sets[b->n_sets] = (buffer_set){0};
            cudaGetLastError();
            break;
        }
    return b->n_sets > 0;
}

static void close_buffers(bench *b) {
    for (size_t i = 0; i < b->n_sets; i++)
        free_set(&b->sets[i]);
    WB_FREE(b->a, b->b, b->c, b->result, b->failed);
}

/* ---- checking ----------------------------------------------------------------------------- */

static bool reads_output(const bench *b, const wbk_kernel *kernel) {
    return kernel->shape == WBK_UPDATE || (wbk_rate_is_flops(kernel->shape) && b->o->beta != 0);
}

/* Returns true for products of the set, which must follow BLAS: a zero factor's operand is not
 * read, even if NaN. A user's kernel need not. */
static bool bound_by_blas(const subject *s) {
    return wbk_rate_is_flops(s->kernel.shape) && !s->user;
}

static unsigned char poison_for(const subject *s) {
    return bound_by_blas(s) ? POISON_NAN : POISON_LARGE;
}

static size_t output_bytes(const bench *b, const subject *s) {
    return wbk_buffer_elements(&s->kernel, b->size).c * wbk_type_size(b->o->type);
}

/* Prepares c for a call: with its input, or else poison, and guards around it. */
static cudaError_t prepare_output(const bench *b, const subject *s, const buffer_set *set) {
    size_t all = b->shift + b->c_bytes + 2 * b->guard;
    cudaError_t status = cudaMemset(set->c_block, GUARD_BYTE, all);
    if (status == cudaSuccess)
        status = reads_output(b, &s->kernel)
                     ? cudaMemcpy(set->c, b->c, b->c_bytes, cudaMemcpyHostToDevice)
                     : cudaMemset(set->c, poison_for(s), b->c_bytes);
    if (status == cudaSuccess && set->work)
        status = cudaMemset(set->work, POISON_LARGE, b->work_bytes);
    return status == cudaSuccess ? cudaDeviceSynchronize() : status;
}

static bool guards_whole(const bench *b, const subject *s, char *text, size_t size) {
    const unsigned char *block = b->result, *c = block + b->shift + b->guard;
    for (size_t i = 0; i < b->guard; i++)
        if (block[b->shift + i] != GUARD_BYTE || c[b->c_bytes + i] != GUARD_BYTE) {
            snprintf(text, size, "it wrote %s its output",
                     block[b->shift + i] != GUARD_BYTE ? "before" : "past");
            return false;
        }
    bool poisoned = !reads_output(b, &s->kernel);
    for (size_t i = output_bytes(b, s); poisoned && i < b->c_bytes; i++)
        if (c[i] != poison_for(s)) {
            snprintf(text, size, "it wrote past its output");
            return false;
        }
    return true;
}

/* Returns true if a kernel of the set refused the call. Then it must not have written. */
static bool is_refusal(const subject *s, cudaError_t launched) {
    return !s->user && (launched == cudaErrorInvalidValue || launched == cudaErrorNotSupported);
}

static bool output_untouched(const bench *b, const subject *s) {
    const unsigned char *c = (unsigned char *)b->result + b->shift + b->guard;
    if (reads_output(b, &s->kernel))
        return memcmp(c, b->c, output_bytes(b, s)) == 0;
    for (size_t i = 0; i < output_bytes(b, s); i++)
        if (c[i] != poison_for(s))
            return false;
    return true;
}

/* Returns whether the fetched result is right, or untouched after a refusal. */
static outcome judge_result(bench *b, const subject *s, data_mode mode, const arguments *g,
                            cudaError_t launched, char *text, size_t size) {
    const char *c = (char *)b->result + b->shift + b->guard;
    if (!guards_whole(b, s, text, size))
        return WRONG;
    if (launched == cudaSuccess)
        return data_check(&s->kernel, mode, g, b->a, b->b, b->c, c, text, size, &b->error) ? RIGHT
                                                                                           : WRONG;
    bool whole = output_untouched(b, s);
    snprintf(text, size, whole ? "it refuses (%s)" : "it reported %s, but wrote to its output",
             cudaGetErrorName(launched));
    return whole ? REFUSED : WRONG;
}

/* Returns softgpu's options. A library's own code has nothing to trace. */
static unsigned watched(const bench *b, const subject *s, bool counting) {
    if (b->o->check_only)
        return SOFTGPU_ALL;
    return (counting ? SOFTGPU_COUNT : 0) |
           (b->tracing && !s->kernel.reference ? SOFTGPU_TRACE : 0);
}

/* Runs the subject once on set 0 and compares its result with the CPU's. */
static outcome check_once(bench *b, size_t i, data_mode mode, char *text, size_t size) {
    const subject *s = &b->subjects[i];
    const buffer_set *set = &b->sets[0];
    bool counting = b->device->report && b->o->count;
    cudaError_t status = prepare_output(b, s, set);
    if (b->device->report) {
        free(b->device->report(1));
        b->device->set_options(watched(b, s, counting));
    }
    arguments g = arguments_of(b, set);
    cudaError_t launched = status;
    if (status == cudaSuccess)
        launched = subject_call(s, &g, b->clock->stream);
    cudaError_t ended = cudaDeviceSynchronize();
    status = is_refusal(s, launched) || launched == cudaSuccess ? ended : launched;
    WB_SCOPED char *report = b->device->report ? b->device->report(1) : NULL;
    if (b->device->report)
        b->device->set_options(0);
    if (status == cudaSuccess)
        status = cudaMemcpy(b->result, set->c_block, b->shift + b->c_bytes + 2 * b->guard,
                            cudaMemcpyDeviceToHost);
    outcome result = WRONG;
    if (status == cudaSuccess)
        result = judge_result(b, s, mode, &g, launched, text, size);
    else
        subject_error(status, report, text, size);
    if (result == RIGHT && counting && report)
        emit("counters", "size:z kernel:z report:j", b->size_index, i, report);
    return result;
}

/* Checks that the set's sums, with their fixed order, have the same bits at every call. */
static outcome check_repeated(bench *b, size_t i, data_mode mode, char *text, size_t size) {
    const subject *s = &b->subjects[i];
    const char *c = (char *)b->result + b->shift + b->guard;
    wbk_shape shape = s->kernel.shape;
    bool sums = shape == WBK_REDUCE || shape == WBK_SCAN || shape == WBK_SOFTMAX;
    bool bound = sums && !s->user && !s->kernel.reference;
    outcome result = check_once(b, i, mode, text, size);
    if (result != RIGHT || !bound || !b->o->check_only || mode != DATA_REAL)
        return result;
    size_t bytes = output_bytes(b, s), width = wbk_type_size(b->o->type), at = 0;
    WB_SCOPED char *first = malloc(bytes + 1);
    if (!first)
        return snprintf(text, size, "there is no memory to keep a result"), WRONG;
    memcpy(first, c, bytes);
    result = check_once(b, i, mode, text, size);
    while (at < bytes && memcmp(first + at, c + at, width) == 0)
        at += width;
    if (result == RIGHT && at < bytes) {
        snprintf(text, size, "two calls on the same input gave %.17g and %.17g (element %zu)",
                 element_get(first + at, b->o->type, 0), element_get(c + at, b->o->type, 0),
                 at / width);
        result = WRONG;
    }
    return result;
}

static void report_check(bench *b, size_t i, data_mode mode, outcome result, const char *text) {
    emit("check", "size:z kernel:z mode:s alpha:f beta:f ok:b refused:b error:f? text:s",
         b->size_index, i, data_mode_name(mode), b->o->alpha, b->o->beta, result != WRONG,
         result == REFUSED, mode == DATA_REAL ? b->error : 0.0, result == RIGHT ? "" : text);
    b->wrong += result == WRONG;
    b->failed[i] |= result != RIGHT;
}

/* Checks all subjects. Returns false if the device is lost. */
static bool check_all(bench *b, data_mode mode) {
    fill_inputs(b, mode);
    cudaError_t status = upload(b, &b->sets[0]);
    for (size_t i = 0; i < b->n && status == cudaSuccess; i++) {
        char text[1500] = "";
        bool left_out = mode == DATA_IGNORED && !bound_by_blas(&b->subjects[i]);
        if (b->failed[i] || !b->subjects[i].function || left_out)
            continue;
        report_check(b, i, mode, check_repeated(b, i, mode, text, sizeof text), text);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            if (!b->device->recover)
                return false;
            b->device->recover();
            cudaGetLastError();
        }
    }
    return status == cudaSuccess;
}

/* Returns the data mode. Integers need whole factors. For a histogram it selects the bytes. */
static data_mode mode_for(const bench *b) {
    if (counts(b))
        return b->o->skewed ? DATA_REAL : DATA_EXACT;
    bool gemm = wbk_rate_is_flops(b->subjects[0].kernel.shape);
    double alpha = b->o->alpha, beta = b->o->beta;
    return gemm && (alpha != floor(alpha) || beta != floor(beta)) ? DATA_REAL : DATA_EXACT;
}

/* Returns true for types that round a product's factors, which only reals show. */
static bool rounds_inputs(const bench *b) {
    return wbk_rate_is_flops(b->subjects[0].kernel.shape) &&
           wbk_type_precision(b->o->type) < wbk_type_precision(WBK_F32);
}

/* Checks a histogram with both kinds of values before timing. */
static bool check_other_values(bench *b) {
    const bench_options *given = b->o;
    bench_options quiet = *given;
    quiet.count = false;
    b->o = &quiet;
    bool alive = !counts(b) || check_all(b, given->skewed ? DATA_EXACT : DATA_REAL);
    b->o = given;
    return alive;
}

static bool check_thoroughly(bench *b) {
    bench_options varied = *b->o;
    const bench_options *given = b->o;
    b->o = &varied;
    bool gemm = wbk_rate_is_flops(b->subjects[0].kernel.shape);
    /* With beta 0, C is NaN in all of them (prepare_output). */
    static const struct {
        double alpha, beta;
        data_mode mode;
    } variants[] = {{1, 0, DATA_EXACT},       {1, 0, DATA_REAL},   {2, -1, DATA_EXACT},
                    {0.75, -1.25, DATA_REAL}, {1, 1, DATA_EXACT},  {-0.5, 0, DATA_REAL},
                    {0, 2, DATA_IGNORED},     {0, 0, DATA_IGNORED}};
    bool alive = true;
    for (size_t v = 0; v < (gemm ? WB_COUNT(variants) : 2) && alive; v++) {
        varied.alpha = variants[v].alpha;
        varied.beta = variants[v].beta;
        alive = check_all(b, variants[v].mode);
        varied.count = false;
    }
    b->o = given;
    return alive;
}

/* ---- rounds ------------------------------------------------------------------------------- */

typedef struct timed_call {
    const subject *subject;
    arguments arguments;
} timed_call;

static cudaError_t launch_timed(void *ctx, cudaStream_t stream) {
    timed_call *call = ctx;
    return subject_call(call->subject, &call->arguments, stream);
}

/* Shuffles the subjects for each round (Fisher and Yates): no kernel always follows another. */
static void draw_order(const bench *b, size_t round, size_t *order) {
    for (size_t i = 0; i < b->n; i++) {
        size_t j = data_random(b->o->seed + round, i) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static bool takes_part(const bench *b, size_t i, size_t round, const double *spent) {
    bool over = b->o->share > 0 && spent[i] > b->o->share && round >= LEAST_RUNS;
    return !b->failed[i] && b->subjects[i].function && !over;
}

/* Runs one round of all subjects that still take part. */
static bool run_round(bench *b, size_t round, double *times, double *spent) {
    size_t order[MOST_SUBJECTS];
    draw_order(b, round, order);
    for (size_t j = 0; j < b->n; j++) {
        size_t i = order[j];
        if (!takes_part(b, i, round, spent))
            continue;
        const subject *s = &b->subjects[i];
        timed_call call = {s, arguments_of(b, &b->sets[(round * b->n + j) % b->n_sets])};
        cudaError_t status = clock_time(b->clock, launch_timed, &call, s->kernel.waits, &times[i]);
        if (status != cudaSuccess) {
            char text[400];
            subject_error(status, NULL, text, sizeof text);
            report_check(b, i, DATA_REAL, WRONG, text);
            times[i] = NAN;
            return b->device->recover != NULL;
        }
        spent[i] += times[i];
    }
    return true;
}

/* Returns the progress, 0 to 1: by the requested rounds, by sufficient rounds and seconds, or by
 * the time limit. */
static double progress_of(const bench *b, size_t rounds, double measured, double elapsed) {
    size_t least = b->o->rounds ? b->o->rounds : b->device->soft ? 5 : 30;
    double enough = fmin(1, (double)rounds / (double)least);
    if (!b->o->rounds) /* half a second for each kernel, or the maximum of rounds */
        enough = fmin(enough, fmax(measured / 0.5, (double)rounds / 300));
    return fmax(enough, fmax(elapsed / b->o->seconds, (double)rounds / MOST_ROUNDS));
}

static bool time_all(bench *b) {
    WB_SCOPED double *times = malloc(MOST_ROUNDS * b->n * sizeof *times);
    WB_SCOPED double *spent = calloc(b->n, sizeof *spent);
    double start = wb_now(), shown = -1;
    size_t round = 0;
    bool alive = times && spent, done = !alive;
    while (alive && !done && round < MOST_ROUNDS) {
        double *row = times + round * b->n, least = INFINITY;
        for (size_t i = 0; i < b->n; i++)
            row[i] = NAN;
        alive = run_round(b, round++, row, spent);
        size_t taking_part = 0;
        for (size_t i = 0; i < b->n; i++)
            if (takes_part(b, i, round, spent)) {
                least = fmin(least, spent[i]);
                taking_part++;
            }
        double at = progress_of(b, round, least, wb_now() - start);
        done = at >= 1 || taking_part == 0;
        if (wb_now() - shown > 0.1 || done) { /* faster than a reader can follow */
            emit("round", "size:z round:z done:f times:F", b->size_index, round, fmin(at, 1), row,
                 b->n);
            shown = wb_now();
        }
    }
    WB_SCOPED double *column = malloc((round + 1) * sizeof *column);
    for (size_t i = 0; i < b->n && column; i++) {
        size_t n = 0;
        for (size_t r = 0; r < round; r++)
            if (isfinite(times[r * b->n + i]))
                column[n++] = times[r * b->n + i];
        if (b->failed[i] || n == 0)
            continue;
        emit("result", "size:z kernel:z times:F sm_hz:f", b->size_index, i, column, n,
             b->clock->sm_hz);
    }
    return alive;
}

/* Warms up on separate inputs, so that the caches know nothing of the timed calls. */
static bool warm_up(bench *b) {
    for (size_t set = 1; set < b->n_sets; set++)
        if (upload(b, &b->sets[set]) != cudaSuccess ||
            prepare_output(b, &b->subjects[0], &b->sets[set]) != cudaSuccess)
            return false;
    for (size_t i = 0; i < b->n && !b->device->soft; i++) {
        if (b->failed[i] || !b->subjects[i].function)
            continue;
        arguments g = arguments_of(b, &b->sets[b->n_sets - 1]);
        for (int run = 0; run < 2; run++)
            if (subject_call(&b->subjects[i], &g, b->clock->stream) != cudaSuccess ||
                cudaDeviceSynchronize() != cudaSuccess)
                return false;
    }
    return true;
}

bool bench_is_idle(wbk_shape shape, wbk_size size) {
    int dimensions = wbk_dimensions(shape);
    return !size.n || (dimensions > 1 && !size.m) || (dimensions > 2 && !size.k) ||
           (dimensions > 3 && !size.batch);
}

bool bench_size(const bench_device *device, launch_clock *clock, const bench_options *options,
                const subject *subjects, size_t n_subjects, size_t size_index, wbk_size size,
                size_t *wrong) {
    bench b = {.device = device,
               .clock = clock,
               .o = options,
               .subjects = subjects,
               .n = n_subjects,
               .size_index = size_index,
               .size = size};
    bool alive = true;
    if (!open_buffers(&b)) {
        emit("skip", "size:z text:s", size_index,
             "the device's memory (or this machine's) is too small for this size");
        ++*wrong;
    } else if (options->check_only) {
        alive = check_thoroughly(&b);
    } else {
        alive = check_other_values(&b);
        b.tracing = options->model;
        alive = alive && check_all(&b, mode_for(&b));
        b.tracing = false;
        alive = alive && (!rounds_inputs(&b) || check_all(&b, DATA_REAL));
        if (alive && !bench_is_idle(subjects[0].kernel.shape, size))
            alive = warm_up(&b) && time_all(&b);
    }
    *wrong += b.wrong;
    close_buffers(&b);
    return alive;
}
