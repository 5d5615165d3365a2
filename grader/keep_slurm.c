/* keep_slurm.c: from the book to Slurm's nodes and back. Between them lies the folder BOOK.slurm,
 * with a round for each call (slurm/round.h). */
#include "grader/keep_slurm.h"
#include "runtime/base/language.h"
#include "grader/book/digest.h"
#include "grader/slurm/queue.h"
#include "grader/slurm/wait.h"
#include "runtime/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct state {
    const gr_keep *keep;
    gr_book *book;
    char *folder;
    gr_round_end end;
} state;

static int tell(const char *sentence) {
    char *told = gr_valid_text(strdup(wb_tr(sentence)), 4000);
    fprintf(stderr, "warpbook grade: %s\n", told ? told : "out of memory");
    free(told);
    return WB_EXIT_MACHINE;
}

/* The folder, private, and this call alone in it; its lock's descriptor, or -1. */
static int open_folder(state *s, wb_error *err) {
    char *book = realpath(s->keep->book, NULL);
    s->folder = book ? wb_format("%s.slurm", book) : NULL;
    char *path = s->folder ? wb_format("%s/lock", s->folder) : NULL;
    int fd = -1;
    if (!path)
        wb_fail(err, 1, "out of memory");
    else if (mkdir(s->folder, 0700) != 0 && errno != EEXIST)
        wb_fail(err, 1, "can't make %s: %s", s->folder, strerror(errno));
    else if ((fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0)
        wb_fail(err, 1, "can't write to %s: %s", s->folder, strerror(errno));
    else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        wb_fail(err, 1, "another call waits for Slurm's results in %s; it gathers them", s->folder);
        close(fd);
        fd = -1;
    }
    free(path);
    free(book);
    return fd;
}

/* ---- out of a round ------------------------------------------------------------------------- */

static bool take(void *ctx, const gr_round_task *task, const char *of, const char *version,
                 const gr_report *report, wb_error *err) {
    state *s = ctx;
    bool ours = false, kept = false;
    if (!gr_entry_known(s->book, task->submission, task->content, of, version, report, &ours, &kept,
                        err))
        return false;
    if (!ours)
        fprintf(stderr,
                wb_tr("warpbook grade: %s: the gradebook is another one now, and does not have "
                      "this submission; its result is left out\n"),
                task->name);
    return !ours || kept || gr_entry_result(s->book, task->submission, of, version, report, err);
}

/* Gathers a round, which is gone when it is over. */
static void gather(state *s, gr_round *round) {
    gr_round_taker taker = {s, take};
    gr_round_wait(round, &taker, &s->end);
    if (!s->end.lost && !wb_cli_interrupted)
        gr_round_remove(round);
    else
        fprintf(
            stderr,
            wb_tr(
                "warpbook grade: %s; what Slurm has of it goes on (scancel ends it), and the same "
                "call gathers it\n"),
            wb_cli_interrupted ? "interrupted" : s->end.err.text);
}

static bool gather_earlier(state *s, wb_error *err) {
    char **paths = gr_rounds(s->folder);
    bool ok = paths || wb_fail(err, 1, "out of memory");
    for (size_t i = 0; paths && paths[i]; i++) {
        gr_round round = {.path = NULL};
        char *spec = wb_format("%s/round.json", paths[i]);
        if (!ok || s->end.lost || wb_cli_interrupted) {
        } else if (spec && !wb_file_exists(spec)) {
            wb_dir_remove(paths[i], NULL); /* it was being made when its call was killed */
        } else if ((ok = gr_round_open(paths[i], &round, err))) {
            fprintf(stderr, wb_tr("%zu submissions were handed to Slurm before: gathering them\n"),
                    round.n);
            gather(s, &round);
        }
        gr_round_free(&round);
        free(spec);
        free(paths[i]);
    }
    free(paths);
    return ok;
}

/* ---- into a round --------------------------------------------------------------------------- */

/* What the grader would refuse unread takes no task. */
static bool refuse(state *s, const gr_entry *entry, const char *why, wb_error *err) {
    gr_report report;
    char of[WB_SHA256_TEXT], version[WB_SHA256_TEXT];
    bool gpu = s->keep->options->device.kind == WB_DEVICE_GPU;
    gr_options options = *s->keep->options;
    options.shown = entry->path;
    gr_refuse(s->keep->lab, entry->path, &options, why, &report);
    gr_grader_digest(version);
    bool ok = gr_lab_digest(s->keep->lab->path, gpu, of, err) &&
              gr_entry_result(s->book, entry->id, of, version, &report, err);
    gr_report_free(&report);
    return ok;
}

static bool add(state *s, gr_round *round, const gr_entry *entry, wb_error *err) {
    gr_handed handed;
    bool ok = gr_handed_load(s->book, entry->content, &handed, err);
    if (ok && handed.unreadable) {
        ok = refuse(s, entry, handed.unreadable, err);
    } else if (ok) {
        char *place = gr_round_place(round, err);
        char *copy = place ? gr_handed_write(&handed, place, err) : NULL;
        ok = copy && gr_round_add(round, entry->id, entry->path, entry->content, handed.name, err);
        free(copy);
        free(place);
    }
    gr_handed_free(&handed);
    return ok;
}

static int grade(state *s, const gr_entries *pending) {
    wb_error err = {0};
    gr_round round;
    const gr_options *o = s->keep->options;
    gr_round_how how = {o->device.kind == WB_DEVICE_GPU, o->sandbox, s->keep->seeded, o->seed,
                        o->limits};
    size_t sent = 0;
    int status = WB_EXIT_DONE;
    bool ok = gr_round_new(s->folder, s->keep->lab, &how, &round, &err);
    for (size_t i = 0; ok && i < pending->n; i++)
        ok = add(s, &round, &pending->list[i], &err);
    ok = ok && gr_round_send(&round, how.gpu, &sent, &err);
    if (!ok)
        status = tell(err.text);
    if (sent) {
        fprintf(stderr, wb_tr("%zu submissions are handed to Slurm, as %s\n"), sent, round.name);
        gather(s, &round);
    } else if (round.path) {
        gr_round_remove(&round);
    }
    gr_round_free(&round);
    return status;
}

int gr_keep_slurm(const gr_keep *keep, gr_book *book,
                  bool (*find)(void *ctx, gr_entries **pending, wb_error *err), void *ctx) {
    wb_error err = {0};
    state s = {.keep = keep, .book = book};
    gr_entries *pending = NULL;
    int lock = gr_queue_check(&err) ? open_folder(&s, &err) : -1, status = WB_EXIT_DONE;
    if (lock >= 0)
        wb_cli_catch_interrupts();
    bool ok = lock >= 0 && gather_earlier(&s, &err);
    if (ok && !s.end.lost && !wb_cli_interrupted && (ok = find(ctx, &pending, &err)) && pending->n)
        status = grade(&s, pending);
    if (!ok)
        status = tell(err.text);
    if (lock >= 0)
        close(lock);
    free(s.folder);
    return s.end.lost || s.end.missing || s.end.machine_failed ? WB_EXIT_MACHINE : status;
}
