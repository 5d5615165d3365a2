/* wait.c: waits for a round. */
#include "grader/slurm/wait.h"
#include "runtime/base/language.h"
#include "grader/slurm/queue.h"
#include "runtime/cli/cli.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A result reaches this machine by a file system that may be slower than Slurm's word of its end.
 */
static const double grace_s = 15;
/* How often Slurm is asked: seldom, where it takes long, for it has others to answer. */
static const double ask_first_s = 1, ask_last_s = 15, news_s = 60;

typedef struct state {
    gr_round *round;
    const gr_round_taker *taker;
    gr_round_end *end;
    size_t left, running, waiting;
    char reason[80]; /* why one of them waits */
    bool late;       /* one is said to have been completed, and its result is not here */
} state;

/* A task that is cancelled before it began is in no answer any more, others are for some minutes.
 */
static const char *what_became(const gr_round_task *t) {
    if (!*t->state || strcmp(t->state, "PENDING") == 0)
        return wb_tr("it never began, and is not in Slurm's queue any more");
    if (!gr_queue_over(t->state))
        return wb_tr("it ended, and Slurm no longer tells how");
    return strcmp(t->state, "TIMEOUT") == 0     ? "its time was over (TIMEOUT)"
           : strcmp(t->state, "CANCELLED") == 0 ? "it was ended by scancel (CANCELLED)"
                                                : t->state;
}

static void tell_missing(const state *s, size_t i) {
    const gr_round_task *t = &s->round->tasks[i];
    char *path = wb_format("%s/logs/%zu-%zu.log", s->round->path, i / GR_ARRAY, i % GR_ARRAY);
    wb_buf log = {0};
    if (path)
        wb_file_read(path, 1 << 20, &log, NULL);
    while (log.len && log.data[log.len - 1] == '\n')
        log.data[--log.len] = '\0';
    const char *last = log.len ? strrchr(log.data, '\n') : NULL;
    char *said = gr_valid_text(strdup(last ? last + 1 : log.len ? log.data : ""), 1000);
    fprintf(stderr,
            wb_tr("warpbook grade: %s has no result: %s%s%s; the same call grades it again\n"),
            t->name, what_became(t), said && *said ? ": " : "", said ? said : "");
    free(said);
    free(path);
    wb_buf_free(&log);
}

static void take_one(state *s, size_t i, const char *path) {
    gr_round_task *t = &s->round->tasks[i];
    gr_report report = {.status = NULL};
    char of[WB_SHA256_TEXT], version[WB_SHA256_TEXT];
    wb_error err = {0};
    if (!gr_round_read(path, of, version, &report, &err)) {
        fprintf(stderr, "warpbook grade: %s: %s\n", t->name, err.text);
        unlink(path); /* what was half there would be again: it counts as none */
    } else if (!s->taker->take(s->taker->ctx, t, of, version, &report, &s->end->err)) {
        s->end->lost = true;
    } else {
        bool failed = strcmp(report.status, "error") == 0;
        t->done = true;
        s->left--;
        s->end->finished++;
        s->end->machine_failed |= failed;
        fprintf(stderr, wb_tr("[%zu of %zu] %s: %.4g of %.4g (%s), %.1f s\n"),
                s->round->n - s->left, s->round->n, t->name, report.score, report.max_score,
                report.status, report.seconds);
        if (failed)
            fprintf(stderr, wb_tr("warpbook grade: %s was not graded: %s\n"), t->name,
                    report.message);
        /* The file stays until the round goes: a call that takes up where this one was killed would
         * wait for it, and call it missing. What is kept already is not kept twice. */
    }
    gr_report_free(&report);
}

/* What lies in results/ now: the folder is listed, which a file system of a network answers anew.
 */
static void take_results(state *s) {
    char *folder = wb_format("%s/results", s->round->path);
    DIR *dir = folder ? opendir(folder) : NULL;
    for (struct dirent *e; dir && !s->end->lost && !wb_cli_interrupted && (e = readdir(dir));) {
        char *end = NULL, *path = wb_format("%s/%s", folder, e->d_name);
        size_t i = strtoul(e->d_name, &end, 10);
        if (path && end != e->d_name && strcmp(end, ".json") == 0 && i < s->round->n &&
            !s->round->tasks[i].done)
            take_one(s, i, path);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(folder);
}

static void see(void *ctx, size_t i, const char *task_state, const char *reason) {
    state *s = ctx;
    if (i >= s->round->n || s->round->tasks[i].done)
        return;
    gr_round_task *t = &s->round->tasks[i];
    snprintf(t->state, sizeof t->state, "%s", task_state);
    s->late |= strcmp(t->state, "COMPLETED") == 0;
    if (gr_queue_over(t->state))
        return;
    bool waits = strcmp(t->state, "PENDING") == 0;
    s->waiting += waits;
    s->running += !waits;
    if (waits)
        snprintf(s->reason, sizeof s->reason, "%s", reason);
}

/* True when Slurm answered, and has nothing more to run. */
static bool is_over(state *s, bool *told) {
    wb_error err = {0};
    s->running = s->waiting = 0;
    s->late = false;
    size_t parts = (s->round->n + GR_ARRAY - 1) / GR_ARRAY;
    if (gr_queue_ask(s->round->name, parts, see, s, &err)) {
        *told = false;
        return s->running + s->waiting == 0;
    }
    if (!*told)
        fprintf(stderr, wb_tr("warpbook grade: %s; asking again\n"), err.text);
    *told = true;
    return false;
}

static void tell_news(const state *s) {
    fprintf(stderr, wb_tr("%s: %zu of %zu done, %zu run, %zu wait%s%s%s\n"), s->round->name,
            s->round->n - s->left, s->round->n, s->running, s->waiting, s->waiting ? " (" : "",
            s->waiting ? s->reason : "", s->waiting ? ")" : "");
}

static bool goes_on(const state *s) {
    return s->left && !s->end->lost && !wb_cli_interrupted;
}

void gr_round_wait(gr_round *round, const gr_round_taker *taker, gr_round_end *end) {
    state s = {.round = round, .taker = taker, .end = end, .left = round->n};
    double every = ask_first_s, next = wb_now() + every, news = wb_now() + news_s, over_at = 0;
    bool told = false;
    take_results(&s);
    while (goes_on(&s)) {
        usleep(200 * 1000);
        if (wb_now() >= next) {
            bool over = is_over(&s, &told);
            over_at = !over ? 0 : over_at > 0 ? over_at : wb_now();
            every = every * 1.3 < ask_last_s ? every * 1.3 : ask_last_s;
            next = wb_now() + (over ? ask_first_s : every);
        }
        take_results(&s); /* after Slurm was asked: what had ended by then has written */
        if (over_at > 0 && (!s.late || wb_now() - over_at > grace_s))
            break;
        if (wb_now() >= news) {
            tell_news(&s);
            news = wb_now() + news_s;
        }
    }
    if (!goes_on(&s))
        return;
    for (size_t i = 0; i < round->n; i++)
        if (!round->tasks[i].done)
            tell_missing(&s, i);
    end->missing += s.left;
}
