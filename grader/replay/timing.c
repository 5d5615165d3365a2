/* timing.c: times submission and rival in rounds. */
#include "grader/replay/timing.h"
#include "grader/job/random.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

#include <math.h>
#include <unistd.h>

enum { MAX_ROUNDS = 200, FEWEST = 10, JUDGED = 8, LATE_S = 4 };
#define SLOW_S 0.5
/* The first run number of timed rounds, and purposes of choices of the seed. */
enum { FIRST_RUN = 0x20000000, JUDGED_CHOICE = 0x3000, ORDER_CHOICE = 0x4000 };
enum { LONGEST_GAP_US = 4096 };

typedef struct timer {
    const void *fatbin;
    const gr_plan *plan;
    const gr_job *job;
    const char *prefix;
    gr_clock clock;
    gr_memory memory[2]; /* of this round and the one before, so that addresses differ */
    int judged[JUDGED];  /* rounds whose results are in files */
    int n_judged;
} timer;

static uint32_t choice(const timer *t, int purpose, int round) {
    return gr_random_word(t->job->seed, t->job->stream, (uint32_t)(purpose + round));
}

/* Keeps the results of some rounds to judge (reservoir sampling). Each round has the same chance,
 * and the seed decides. */
static bool keep_results(timer *t, int round, wb_error *err) {
    uint32_t slot = (uint32_t)t->n_judged;
    if (t->n_judged == JUDGED)
        slot = choice(t, JUDGED_CHOICE, round) % (uint32_t)(round + 1);
    if (slot >= JUDGED)
        return true;
    WB_SCOPED char *file = wb_format("%s-%u", t->prefix, slot);
    bool ok = file && gr_memory_results(&t->memory[round % 2], file, err);
    t->judged[slot] = round;
    t->n_judged += slot == (uint32_t)t->n_judged;
    return ok;
}

/* Times one run of the submission, with new inputs, freshly loaded code and poisoned outputs. Fails
 * if it wrote anything but its outputs. */
static bool time_submission(timer *t, int round, double *seconds, wb_error *err) {
    gr_module module = {NULL};
    gr_memory *memory = &t->memory[round % 2];
    gr_program *program = NULL;
    bool ok = gr_memory_make(t->plan, t->job, (uint32_t)(FIRST_RUN + round), memory, err) &&
              gr_module_load(t->fatbin, &module, err) &&
              (program = gr_program_make(&module, memory, err)) != NULL;
    ok = ok && gr_clock_start(&t->clock, err) && gr_program_start(program, err) &&
         gr_clock_stop(&t->clock, seconds, err);
    gr_program_free(program);
    gr_module_unload(&module);
    return ok && gr_memory_guarded(memory, err) && gr_memory_unchanged(memory, err) &&
           gr_memory_guarded(&t->memory[(round + 1) % 2], err) &&
           gr_memory_unchanged(&t->memory[(round + 1) % 2], err) && keep_results(t, round, err);
}

/* Times both once. The seed chooses their order and a pause before them. */
static bool time_round(timer *t, const gr_opponent *rival, int round, double *mine, double *other,
                       wb_error *err) {
    uint32_t word = choice(t, ORDER_CHOICE, round);
    usleep((word >> 1) % LONGEST_GAP_US);
    if (word & 1)
        return rival->time(rival->ctx, round, other, err) && time_submission(t, round, mine, err);
    return time_submission(t, round, mine, err) && rival->time(rival->ctx, round, other, err);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns true if the median of the times is known to 1 %: of n sorted values, those at
 * n / 2 - sqrt(n) and n / 2 + sqrt(n) enclose it with a probability of 95 %. */
static bool is_known(const double *times, int n) {
    double sorted[MAX_ROUNDS];
    int off = (int)ceil(sqrt(n));
    memcpy(sorted, times, (size_t)n * sizeof *times);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return n > 2 * off && sorted[n / 2 + off] - sorted[n / 2 - off] <= 0.01 * sorted[n / 2];
}

/* Takes at least `rounds` times, and more until both medians are known or LATE_S seconds have
 * passed. A slow submission needs fewer rounds, but at least FEWEST. */
static bool run_rounds(timer *t, const gr_opponent *rival, int rounds, json_t *times,
                       json_t *rivals, wb_error *err) {
    double mine[MAX_ROUNDS], other[MAX_ROUNDS], warm[2];
    if (!time_round(t, rival, 0, &warm[0], &warm[1], err)) /* a warm-up, also for cuBLAS */
        return false;
    double start = wb_now();
    for (int n = 0; n < MAX_ROUNDS; n++) {
        bool enough = n >= rounds && is_known(mine, n) && is_known(other, n);
        bool late = wb_now() - start > LATE_S || (n > 0 && mine[n - 1] > SLOW_S);
        if (n >= FEWEST && (enough || late))
            break;
        if (!time_round(t, rival, n + 1, &mine[n], &other[n], err))
            return false;
        json_array_append_new(times, json_real(mine[n]));
        json_array_append_new(rivals, json_real(other[n]));
    }
    return true;
}

static json_t *list_outputs(const timer *t) {
    json_t *outputs = json_array();
    for (int i = 0; i < t->n_judged; i++) {
        WB_SCOPED char *file = wb_format("%s-%d", t->prefix, i);
        json_array_append_new(outputs, json_pack("{s:i, s:s}", "run", FIRST_RUN + t->judged[i],
                                                 "file", file ? file : ""));
    }
    return outputs;
}

bool gr_time(const void *fatbin, const gr_plan *plan, const gr_job *job, const gr_opponent *rival,
             int rounds, const char *prefix, json_t **result, wb_error *err) {
    timer t = {.fatbin = fatbin, .plan = plan, .job = job, .prefix = prefix};
    WB_SCOPED_JSON json_t *times = json_array(), *rivals = json_array();
    bool ok = gr_clock_open(&t.clock, err) && run_rounds(&t, rival, rounds, times, rivals, err);
    if (ok)
        *result =
            json_pack("{s:O, s:O, s:s, s:b, s:o, s:f}", "times", times, "reference_times", rivals,
                      "reference", rival->name, "copy", job->rival.kind == GR_RIVAL_COPY, "outputs",
                      list_outputs(&t), "least", gr_least_seconds(&job->rival));
    for (int i = 0; i < 2; i++)
        gr_memory_free(&t.memory[i]);
    gr_clock_close(&t.clock);
    return ok;
}
