/* timing.c: rounds of submission and reference. */
#include "grader/replay/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 8, MAX_ROUNDS = 200, MAX_FILES = 64 };

typedef struct timer {
    const gr_cuda *cuda;
    const void *fatbin;
    const gr_plan *plan;
    const gr_job *job;
    const char *prefix;
    cudaEvent_t begin, end;
    void *flush;
    size_t flush_bytes;
    gr_memory *sets;
    int n_sets;
    uint64_t hashes[MAX_SETS][MAX_FILES];
    int n_hashes[MAX_SETS];
    json_t *outputs;
    int n_files;
} timer;

/* 64 bits of everything: enough to see that two results of one input are the same bytes; a hash
 * that was not seen before goes to the checker in full. */
static uint64_t hash(const void *data, size_t bytes) {
    uint64_t lanes[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, bytes};
    const unsigned char *p = data;
    for (; bytes >= 32; p += 32, bytes -= 32)
        for (int l = 0; l < 4; l++) {
            uint64_t w;
            memcpy(&w, p + 8 * l, 8);
            lanes[l] = (lanes[l] ^ w) * 0xff51afd7ed558ccdu;
            lanes[l] ^= lanes[l] >> 29;
        }
    for (; bytes; p++, bytes--)
        lanes[0] = (lanes[0] ^ *p) * 0x100000001b3u;
    uint64_t h = 0;
    for (int l = 0; l < 4; l++)
        h = (h ^ lanes[l]) * 0xc4ceb9fe1a85ec53u + (h >> 31);
    return h;
}

/* Lines that a kernel marked "evict last" stay in the L2, whatever else passes through it, until
 * their marks are taken back. Every run before has ended here, or it would mark more. */
static bool unmark_lines(const gr_cuda *cuda, wb_error *err) {
    cudaError_t status = cuda->cudaCtxResetPersistingL2Cache();
    if (status != cudaErrorNotSupported)
        return gr_cuda_ok(cuda, status, "the L2 can't be reset", err);
    cuda->cudaGetLastError(); /* a device that keeps no lines has none to give up */
    return true;
}

/* Empties the L2 and keeps the stream busy while the timed launches are put behind it. */
static bool flush(timer *t, int round, wb_error *err) {
    const gr_cuda *cuda = t->cuda;
    return unmark_lines(cuda, err) &&
           gr_cuda_ok(cuda,
                      cuda->cudaMemsetAsync(t->flush, round & 0xff, t->flush_bytes, cuda->stream),
                      "the L2 can't be flushed", err);
}

static bool stop_clock(timer *t, double *seconds, wb_error *err) {
    const gr_cuda *cuda = t->cuda;
    float milliseconds = 0;
    if (!gr_cuda_ok(cuda, cuda->cudaEventRecord(t->end, cuda->stream), "no event", err) ||
        !gr_program_wait(cuda, err) ||
        !gr_cuda_ok(cuda, cuda->cudaEventElapsedTime(&milliseconds, t->begin, t->end), "no time",
                    err))
        return false;
    *seconds = milliseconds * 1e-3;
    return true;
}

/* Keeps the outputs for the checker unless the same bytes came from this set before. */
static bool keep_results(timer *t, int set, wb_error *err) {
    wb_buf data = {0};
    bool ok = gr_memory_results(t->cuda, &t->sets[set], &data, err);
    uint64_t h = ok ? hash(data.data, data.len) : 0;
    for (int i = 0; ok && i < t->n_hashes[set]; i++)
        if (t->hashes[set][i] == h)
            goto done;
    if (ok && t->n_files == MAX_FILES)
        ok = wb_fail(err, 1, "results differ from run to run of the same input");
    char *file = ok ? wb_format("%s-%d", t->prefix, t->n_files) : NULL;
    ok = ok && file && wb_file_write(file, data.data, data.len, err);
    if (ok) {
        t->hashes[set][t->n_hashes[set]++] = h;
        t->n_files++;
        json_array_append_new(t->outputs, json_pack("{s:i, s:s}", "run", set, "file", file));
    }
    free(file);
done:
    wb_buf_free(&data);
    return ok;
}

/* One timed run of the submission, on freshly loaded code and poisoned outputs. */
static bool time_submission(timer *t, int set, int round, double *seconds, wb_error *err) {
    gr_module module;
    gr_memory *memory = &t->sets[set];
    gr_program *program = NULL;
    bool ok = gr_module_load(t->cuda, t->fatbin, &module, err) &&
              gr_memory_reset(t->cuda, memory, err) &&
              (program = gr_program_make(t->cuda, &module, memory, err)) != NULL;
    ok =
        ok && flush(t, round, err) &&
        gr_cuda_ok(t->cuda, t->cuda->cudaEventRecord(t->begin, t->cuda->stream), "no event", err) &&
        gr_program_start(t->cuda, program, err) && stop_clock(t, seconds, err) &&
        gr_memory_guarded(t->cuda, memory, err) && keep_results(t, set, err);
    gr_program_free(program);
    gr_module_unload(t->cuda, &module);
    return ok;
}

static bool time_rival(timer *t, gr_rival *rival, int round, double *seconds, wb_error *err) {
    return gr_rival_prepare(t->cuda, rival, err) && flush(t, round, err) &&
           gr_cuda_ok(t->cuda, t->cuda->cudaEventRecord(t->begin, t->cuda->stream), "no event",
                      err) &&
           gr_rival_start(t->cuda, rival, err) && stop_clock(t, seconds, err) &&
           gr_rival_whole(t->cuda, rival, err);
}

static bool make_sets(timer *t, wb_error *err) {
    size_t bytes = 0;
    for (int i = 0; i < t->job->n_args; i++)
        bytes += gr_job_arg_bytes(&t->job->args[i]);
    size_t wanted = 4 * (size_t)t->cuda->l2_bytes;
    size_t n = bytes ? wanted / bytes + 1 : MAX_SETS;
    t->n_sets = n < 2 ? 2 : n > MAX_SETS ? MAX_SETS : (int)n;
    t->sets = calloc((size_t)t->n_sets, sizeof *t->sets);
    bool ok = t->sets || wb_fail(err, 1, "out of memory");
    for (int i = 0; ok && i < t->n_sets; i++)
        ok = gr_memory_make(t->cuda, t->plan, t->job, (uint32_t)i, &t->sets[i], err);
    return ok;
}

static bool prepare(timer *t, wb_error *err) {
    const gr_cuda *cuda = t->cuda;
    t->flush_bytes = 4 * (size_t)(cuda->l2_bytes > 0 ? cuda->l2_bytes : 64 << 20);
    t->outputs = json_array();
    return gr_cuda_ok(cuda, cuda->cudaEventCreate(&t->begin), "no event", err) &&
           gr_cuda_ok(cuda, cuda->cudaEventCreate(&t->end), "no event", err) &&
           gr_cuda_ok(cuda, cuda->cudaMalloc(&t->flush, t->flush_bytes), "no device memory", err) &&
           make_sets(t, err);
}

static bool run_rounds(timer *t, gr_rival *rival, int rounds, json_t *times, json_t *rivals,
                       wb_error *err) {
    double mine, other, total = 0, start = wb_now();
    /* one of each to warm up, cuBLAS too */
    if (!time_submission(t, 0, 0, &mine, err) || !time_rival(t, rival, 0, &other, err))
        return false;
    /* a slow submission needs no fine resolution: fewer rounds, but never under ten */
    for (int i = 0; i < MAX_ROUNDS; i++) {
        bool enough = i >= rounds && total >= 0.5;
        bool late = wb_now() - start > 10 && i >= 10;
        if (enough || late || (i >= 10 && mine > 0.5))
            break;
        if (!time_submission(t, (i + 1) % t->n_sets, i + 1, &mine, err) ||
            !time_rival(t, rival, i + 1, &other, err))
            return false;
        total += mine;
        json_array_append_new(times, json_real(mine));
        json_array_append_new(rivals, json_real(other));
    }
    return true;
}

bool gr_time(const gr_cuda *cuda, const void *fatbin, const gr_plan *plan, const gr_job *job,
             double minimum_bytes, const gr_rival_files *files, int rounds, const char *prefix,
             json_t **result, wb_error *err) {
    timer t = {.cuda = cuda, .fatbin = fatbin, .plan = plan, .job = job, .prefix = prefix};
    json_t *times = json_array(), *rivals = json_array();
    gr_rival *rival = gr_rival_make(cuda, job, minimum_bytes, files, err);
    bool ok = rival && prepare(&t, err) && run_rounds(&t, rival, rounds, times, rivals, err);
    if (ok)
        *result =
            json_pack("{s:O, s:O, s:s, s:b, s:O, s:i}", "times", times, "reference_times", rivals,
                      "reference", gr_rival_name(rival), "copy", job->rival.kind == GR_RIVAL_COPY,
                      "outputs", t.outputs, "sets", t.n_sets);
    for (int i = 0; t.sets && i < t.n_sets; i++)
        gr_memory_free(cuda, &t.sets[i]);
    free(t.sets);
    cuda->cudaFree(t.flush);
    gr_rival_free(cuda, rival);
    json_decref(times);
    json_decref(rivals);
    json_decref(t.outputs);
    return ok;
}
