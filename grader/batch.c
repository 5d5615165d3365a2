/* batch.c: threads that grade one submission after the other, and their progress. */
#include "grader/batch.h"
#include "runtime/cli/cli.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* Memory that a submission of our labs needs at most. Each stage sets a higher limit of its own. */
enum { MEMORY_A_JOB = 1 << 30 };
/* Submissions at a time on a GPU: one runs there, the others are compiled and checked meanwhile. */
enum { JOBS_ON_GPU = 3 };

typedef struct state {
    const gr_batch *batch;
    gr_batch_result result;
    pthread_mutex_t lock, turn;
    size_t next;
    double start;
    gr_known *known;
    bool terminal, shown;
} state;

/* The submission that a thread grades, for the progress line. */
typedef struct place {
    state *state;
    char *name; /* safe to show in a terminal */
} place;

size_t gr_batch_jobs(void) {
    cpu_set_t set;
    size_t cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
    size_t memory = wb_memory_machine() / MEMORY_A_JOB;
    cores = memory && memory < cores ? memory : cores;
    return cores < 1 ? 1 : cores > GR_MAX_JOBS ? GR_MAX_JOBS : cores;
}

static void show_stage(void *ctx, const char *stage) {
    const place *p = ctx;
    pthread_mutex_lock(&p->state->lock);
    fprintf(stderr, _("\r\033[K[%zu of %zu done] %.*s: %s"), p->state->result.finished,
            p->state->batch->n, (int)wb_utf8_offset(p->name, strlen(p->name), 60), p->name, stage);
    fflush(stderr);
    p->state->shown = true;
    pthread_mutex_unlock(&p->state->lock);
}

/* Returns an estimate of the remaining time, such as "4 min". */
static const char *time_left(const state *s, char text[32]) {
    size_t done = s->result.finished, left = s->batch->n - done;
    double seconds = (wb_now() - s->start) / (double)(done ? done : 1) * (double)left;
    if (seconds < 90)
        snprintf(text, 32, "%.0f s", seconds);
    else
        snprintf(text, 32, _("%.0f min"), seconds / 60);
    return text;
}

/* Prints one line for a finished submission, when stderr is not a terminal. */
static void log_line(const state *s, const char *name, const gr_report *report) {
    char left[32];
    fprintf(stderr, _("[%zu of %zu] %s: %.4g of %.4g (%s), %.1f s; about %s left\n"),
            s->result.finished, s->batch->n, name, report->score, report->max_score,
            gr_status_names[report->status], report->seconds, time_left(s, left));
}

/* Call it under the lock. */
static void take(state *s, size_t i, const char *name, gr_report *report, bool ok) {
    if (wb_cli_interrupted) {
        gr_report_free(report);
        return;
    }
    s->result.machine_failed |= !ok;
    s->result.failed |= gr_report_failed(report);
    s->result.finished++;
    if (!s->terminal && s->batch->n > 1)
        log_line(s, name, report);
    if (!s->batch->take(s->batch->ctx, i, report, &s->result.err)) {
        s->result.lost = true;
        s->result.finished--;
    }
}

static void *grade_some(void *ctx) {
    state *s = ctx;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        bool over = s->next >= s->batch->n || wb_cli_interrupted || s->result.lost;
        size_t i = over ? 0 : s->next++;
        pthread_mutex_unlock(&s->lock);
        if (over)
            return NULL;
        gr_options options = *s->batch->options;
        gr_report report = {.status = GR_UNKNOWN};
        place p = {s, gr_valid_name(strdup(s->batch->name(s->batch->ctx, i)), 4000)};
        options.stop = &wb_cli_interrupted;
        options.known = s->known;
        options.turn = options.device.kind == WB_DEVICE_GPU ? &s->turn : NULL;
        if (p.name && s->terminal) {
            options.progress = show_stage;
            options.progress_ctx = &p;
        }
        bool ok = s->batch->grade(s->batch->ctx, i, &options, &report);
        pthread_mutex_lock(&s->lock);
        take(s, i, p.name ? p.name : "", &report, ok);
        pthread_mutex_unlock(&s->lock);
        free(p.name);
    }
}

gr_batch_result gr_batch_run(const gr_batch *batch) {
    state s = {.batch = batch,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .turn = PTHREAD_MUTEX_INITIALIZER,
               .start = wb_now(),
               .terminal = isatty(2)};
    pthread_t threads[GR_MAX_JOBS];
    size_t n = 0;
    bool gpu = batch->options->device.kind == WB_DEVICE_GPU;
    size_t jobs = gpu && batch->jobs > JOBS_ON_GPU ? JOBS_ON_GPU : batch->jobs;
    /* not on a GPU: its results are large, and each submission may have its own seed */
    s.known = gpu || batch->n < 2 ? NULL : gr_known_new();
    wb_cli_catch_interrupts();
    while (n + 1 < jobs && n + 1 < batch->n &&
           pthread_create(&threads[n], NULL, grade_some, &s) == 0)
        n++;
    grade_some(&s);
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    gr_known_free(s.known);
    if (s.shown)
        fprintf(stderr, "\r\033[K");
    return s.result;
}
