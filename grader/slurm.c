/* slurm.c: grades on Slurm's nodes, through a folder that all nodes see.
 *
 *     BOOK.slurm/lock               held by one call at a time
 *     BOOK.slurm/round/list         the tasks' submissions, as JSON; written before job.sh
 *     BOOK.slurm/round/job.sh       the script of a task; submitted when all files are written
 *     BOOK.slurm/round/tasks/I/FILE the copy of submission I
 *     BOOK.slurm/round/I.json       its report, as `grade --json` writes it
 *     BOOK.slurm/round/TASK.log     a task's stdout and stderr */
#include "grader/slurm.h"
#include "runtime/base/scoped.h"
#include "runtime/base/words.h"
#include "runtime/cli/cli.h"
#include "runtime/json/json.h"
#include "runtime/json/fields.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Array indices stay below MaxArraySize, 1001 unless the administrator sets it. */
enum { ARRAY = 1000, PATIENCE_S = 120, MAX_TEXT = 16 << 20 };
/* A network file system may show a result some time after Slurm reports the end of its task. */
static const double grace_s = 10, ask_first_s = 0.5, ask_last_s = 15;

/* $1: warpbook, $2: the lab. Grades submissions TASK, TASK + ARRAY, ... It stops if the list is
 * missing or belongs to another round. A requeued task keeps its results. Exit status 1 is a
 * result, too: the submission failed. */
static const char script[] =
    "#!/bin/sh\n"
    "grep -qF \"\\\"$SLURM_JOB_NAME\\\"\" list || exit 3\n"
    "i=$SLURM_ARRAY_TASK_ID status=0\n"
    "while [ -d tasks/$i ]; do\n"
    "    for copy in tasks/$i/* tasks/$i/.[!.]* tasks/$i/..?*; do\n"
    "        [ ! -e \"$copy\" ] || [ -e $i.json ] ||\n"
    "            \"$1\" grade \"$2\" \"$copy\" --json --output $i.json --device %s \\\n"
    "                --compile-limit %.17g --plan-limit %.17g --run-limit %.17g \\\n"
    "                --made-by '%s %s'%s%s || [ $? = 1 ] || status=3\n"
    "    done\n"
    "    i=$((i + %d))\n"
    "done\n"
    "exit $status\n";

typedef struct state {
    const gr_slurm *slurm;
    char *folder, *path, *list_path; /* BOOK.slurm, round, list */
    json_t *list;                    /* {name, of, by, tasks: [{submission, content, name}]} */
    json_t *tasks;                   /* the list's; borrowed */
    size_t left;                     /* tasks without a result in the book */
    char states[ARRAY][24];          /* of the tasks, as squeue prints them */
    bool failed;                     /* a submission was not graded */
    bool lost;                       /* the book refused a result */
    wb_error *err;
} state;

/* Makes the folder, private, and locks it. Returns the lock's descriptor, or -1. */
static int open_folder(state *s) {
    WB_SCOPED char *book = realpath(s->slurm->path, NULL);
    s->folder = book ? wb_format("%s.slurm", book) : NULL;
    s->path = s->folder ? wb_format("%s/round", s->folder) : NULL;
    s->list_path = s->path ? wb_format("%s/list", s->path) : NULL;
    WB_SCOPED char *lock = s->list_path ? wb_format("%s/lock", s->folder) : NULL;
    int fd = -1;
    if (lock && ((mkdir(s->folder, 0700) != 0 && errno != EEXIST) ||
                 (fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0))
        wb_fail(s->err, 1, _("can't write to %s: %s"), s->folder, strerror(errno));
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        wb_fail(s->err, 1, _("another call waits for Slurm's results in %s; it gathers them"),
                s->folder);
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- sbatch and squeue: their manual pages define options and states ---- */

static bool check_slurm(wb_error *err) {
    WB_SCOPED char *path = wb_path_find("sbatch");
    return path ||
           wb_fail(err, 1,
                   _("there is no Slurm here: sbatch is not on the PATH. Call from a machine "
                     "that hands in jobs, or leave --slurm out to grade on this one"));
}

/* Runs one of Slurm's commands. On failure *err quotes the first line of its stderr. */
static bool ask(const char *const *argv, const char *cwd, wb_proc_result *result, wb_error *err) {
    wb_proc_spec spec = {.argv = argv, .cwd = cwd, .timeout_s = PATIENCE_S, .max_output = MAX_TEXT};
    if (!wb_proc_run(&spec, result, err))
        return false;
    if (result->exit_code == 0 && result->out_total == result->out.len)
        return true;
    char how[120];
    wb_proc_describe(result, how, sizeof how);
    const char *said = result->err.data ? result->err.data : "";
    return wb_fail(err, 1, _("%s failed (%s): %.*s"), argv[0], how, (int)strcspn(said, "\n"), said);
}

/* Submits the array. sbatch reads partition, account and limits from SBATCH_*. If a node dies,
 * Slurm runs its tasks again. */
static bool submit(state *s, const char *program, const char *lab) {
    size_t n = json_array_size(s->tasks);
    char array[40];
    snprintf(array, sizeof array, "--array=0-%zu", (n < ARRAY ? n : ARRAY) - 1);
    const char *argv[14] = {"sbatch",
                            "--parsable",
                            "--requeue",
                            "--open-mode=truncate",
                            "--output=%a.log",
                            "--job-name",
                            wb_field_text(s->list, "name"),
                            array};
    size_t k = 8;
    if (s->slurm->options->device.kind == WB_DEVICE_GPU)
        argv[k++] = "--gres=gpu:1";
    argv[k++] = "job.sh";
    argv[k++] = program;
    argv[k++] = lab;
    wb_proc_result result = {.exit_code = -1};
    bool ok = ask(argv, s->path, &result, s->err);
    wb_proc_result_free(&result);
    return ok;
}

/* Returns true if a task in this state will not run again. */
static bool is_over(const char *state) {
    return wb_word_among(
        state, strlen(state),
        "BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED TIMEOUT");
}

/* Updates the states and returns true if Slurm will run nothing more. It forgets a task some
 * minutes after its end, and at once if it was cancelled before it began. */
static bool ask_states(state *s) {
    const char *argv[] = {"squeue",   "--noheader", "--array",
                          "--states", "all",        "--format",
                          "%K %T",    "--name",     wb_field_text(s->list, "name"),
                          NULL};
    wb_proc_result result = {.exit_code = -1};
    wb_error err = {0};
    bool over = ask(argv, NULL, &result, &err);
    if (!over)
        fprintf(stderr, _("warpbook grade: %s; asking again\n"), err.text);
    char *rest = over ? result.out.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        size_t i;
        char word[24];
        if (sscanf(line, "%zu %23s", &i, word) == 2 && i < ARRAY) {
            snprintf(s->states[i], sizeof word, "%s", word);
            over &= is_over(word);
        }
    }
    wb_proc_result_free(&result);
    return over;
}

/* ---- gathering ---- */

/* Takes a report into the book, unless a call that was killed did so. */
static void take(state *s, json_t *task, const gr_report *report) {
    gr_book *book = s->slurm->book;
    int64_t id = json_integer_value(json_object_get(task, "submission"));
    const char *name = wb_field_text(task, "name"), *of = wb_field_text(s->list, "of"),
               *by = wb_field_text(s->list, "by");
    bool ours = false, kept = false, failed = report->status == GR_ERROR;
    s->lost = !gr_entry_known(book, id, wb_field_text(task, "content"), of, by, report, &ours,
                              &kept, s->err) ||
              (ours && !kept && !gr_entry_result(book, id, of, by, report, s->err));
    if (s->lost)
        return;
    json_object_set_new(task, "done", json_true());
    s->failed |= failed;
    s->left--;
    fprintf(stderr, _("[%zu of %zu] %s: %.4g of %.4g (%s), %.1f s\n"),
            json_array_size(s->tasks) - s->left, json_array_size(s->tasks), name, report->score,
            report->max_score, gr_status_names[report->status], report->seconds);
    if (failed)
        fprintf(stderr, _("warpbook grade: %s was not graded: %s\n"), name, report->message);
    if (!ours)
        fprintf(stderr,
                _("warpbook grade: %s: the gradebook is another one now, and does not have "
                  "this submission; its result is left out\n"),
                name);
}

/* Takes the results that are there. The files stay until the round is over. */
static void take_results(state *s) {
    DIR *dir = opendir(s->path); /* makes a network file system look for new files */
    json_t *task;
    size_t i;
    if (dir)
        closedir(dir);
    json_array_foreach(s->tasks, i, task) {
        WB_SCOPED char *path = wb_format("%s/%zu.json", s->path, i);
        gr_report report = {.status = GR_UNKNOWN};
        WB_SCOPED_BUF wb_buf json = {0};
        wb_error err = {0};
        if (s->lost || wb_cli_interrupted || json_object_get(task, "done") || !path ||
            !wb_file_exists(path)) {
        } else if (wb_file_read(path, MAX_TEXT, &json, &err) &&
                   gr_report_load(json.data ? json.data : "", &report, &err)) {
            gr_show_as(&report, report.submission, wb_field_text(task, "name"));
            take(s, task, &report);
        } else {
            fprintf(stderr, "warpbook grade: %s: %s\n", wb_field_text(task, "name"), err.text);
            unlink(path); /* it counts as missing */
        }
        gr_report_free(&report);
    }
}

/* Waits until all results are taken, Slurm runs nothing more, or the call is to end. */
static void wait_for_results(state *s) {
    double pause_s = ask_first_s, over_at = 0;
    for (take_results(s); s->left && !s->lost && !wb_cli_interrupted; take_results(s)) {
        if (over_at > 0 && wb_now() - over_at > grace_s)
            return;
        usleep((useconds_t)(pause_s * 1e6));
        bool over = ask_states(s);
        over_at = !over ? 0 : over_at > 0 ? over_at : wb_now();
        pause_s = over ? 1 : pause_s * 1.3 < ask_last_s ? pause_s * 1.3 : ask_last_s;
    }
}

/* Reports a submission without a result, and the last line of its task's log. */
static void tell_missing(const state *s, size_t i) {
    const char *how = s->states[i % ARRAY];
    WB_SCOPED char *path = wb_format("%s/%zu.log", s->path, i % ARRAY);
    WB_SCOPED_BUF wb_buf log = {0};
    if (path)
        wb_file_read(path, MAX_TEXT, &log, NULL);
    while (log.len && log.data[log.len - 1] == '\n')
        log.data[--log.len] = '\0';
    const char *last = log.len ? strrchr(log.data, '\n') : NULL;
    WB_SCOPED char *said = gr_valid_text(strdup(last ? last + 1 : log.len ? log.data : ""), 1000);
    if (!*how || strcmp(how, "PENDING") == 0)
        how = _("it never started, and Slurm's queue no longer has it");
    else if (!is_over(how))
        how = _("it ended, and Slurm no longer reports how");
    fprintf(stderr, _("warpbook grade: %s has no result (%s)%s%s; the same call grades it again\n"),
            wb_field_text(json_array_get(s->tasks, i), "name"), how, log.len ? ": " : "",
            said ? said : "");
}

/* Gathers the round and removes it. Returns false if the call is to end. */
static bool gather(state *s) {
    json_t *task;
    size_t i;
    s->tasks = json_object_get(s->list, "tasks");
    s->left = json_array_size(s->tasks);
    memset(s->states, 0, sizeof s->states);
    wait_for_results(s);
    if (s->lost || wb_cli_interrupted) {
        fprintf(stderr, _("warpbook grade: the jobs go on; the same call gathers their "
                          "results, and scancel ends them\n"));
        return false;
    }
    json_array_foreach(s->tasks, i, task) {
        if (!json_object_get(task, "done"))
            tell_missing(s, i);
    }
    s->failed |= s->left > 0;
    unlink(s->list_path); /* first: results without a list are not gathered again */
    wb_dir_remove(s->path, NULL);
    return true;
}

/* Gathers the round of a call that was ended before. */
static bool gather_earlier(state *s) {
    if (!wb_file_exists(s->list_path))
        return true;
    if (!(s->list = json_load_file(s->list_path, 0, NULL)))
        return wb_fail(s->err, 1, _("can't read %s"), s->list_path);
    fprintf(stderr, _("%zu submissions were handed to Slurm before: gathering them\n"),
            json_array_size(json_object_get(s->list, "tasks")));
    return gather(s);
}

/* ---- submitting ---- */

/* Adds the entry's task. A submission that cannot be read has its result at once. */
static bool add(state *s, const gr_entry *entry) {
    const gr_slurm *u = s->slurm;
    gr_handed handed = {.n = 0};
    gr_report report = {.status = GR_UNKNOWN};
    WB_SCOPED char *place = wb_format("%s/tasks/%zu", s->path, json_array_size(s->tasks)),
                   *copy = NULL;
    bool ok = gr_handed_load(u->book, entry->content, &handed, s->err);
    if (ok && handed.unreadable) {
        gr_refuse(u->lab, entry->path, u->options, WB_FOUND_UNREADABLE, handed.unreadable, &report);
        ok = gr_entry_result(u->book, entry->id, u->of, u->version, &report, s->err);
    } else if (ok) {
        copy = place && wb_dir_make(place, s->err) ? gr_handed_write(&handed, place, s->err) : NULL;
        json_t *task = wb_json_pack("{s:I, s:s, s:s}", "submission", (json_int_t)entry->id,
                                    "content", entry->content, "name", entry->path);
        ok = json_array_append_new(s->tasks, task) == 0 && copy;
    }
    gr_report_free(&report);
    gr_handed_free(&handed);
    return ok;
}

/* Writes job.sh and the list, and submits them. */
static bool send(state *s) {
    const gr_slurm *u = s->slurm;
    const gr_options *o = u->options;
    char job[2000], seed[40] = "";
    WB_SCOPED char *list = json_dumps(s->list, 0), *program = wb_path_bin();
    WB_SCOPED char *lab = realpath(u->lab->path, NULL), *path = wb_format("%s/job.sh", s->path);
    if (u->seeded)
        snprintf(seed, sizeof seed, " --seed %llu", (unsigned long long)o->seed);
    snprintf(job, sizeof job, script, o->device.kind == WB_DEVICE_GPU ? "gpu" : "soft",
             o->limits.compile_s, o->limits.plan_s, o->limits.run_s, u->of, u->version, seed,
             o->sandbox ? "" : " --unsafe-no-sandbox", ARRAY);
    return list && program && lab && path && wb_file_write(path, job, strlen(job), s->err) &&
           wb_file_write(s->list_path, list, strlen(list), s->err) && submit(s, program, lab);
}

/* Makes a round of the entries, submits it and gathers it. */
static bool grade(state *s, const gr_entries *pending) {
    char name[80];
    snprintf(name, sizeof name, "warpbook-%.6f-%ld", wb_now(), (long)getpid());
    json_decref(s->list);
    s->list = wb_json_pack("{s:s, s:s, s:s, s:o}", "name", name, "of", s->slurm->of, "by",
                           s->slurm->version, "tasks", json_array());
    s->tasks = json_object_get(s->list, "tasks");
    /* An earlier call may have been killed before it submitted these files. */
    bool ok = s->tasks && wb_dir_remove(s->path, s->err);
    for (size_t i = 0; ok && i < pending->n; i++)
        ok = add(s, &pending->list[i]);
    size_t n = json_array_size(s->tasks);
    if (ok && n && (ok = send(s))) {
        fprintf(stderr, _("%zu submissions are handed to Slurm, as %s\n"), n, name);
        gather(s);
    } else {
        wb_dir_remove(s->path, NULL);
    }
    return ok;
}

int gr_slurm_grade(const gr_slurm *slurm, wb_error *err) {
    state s = {.slurm = slurm, .err = err};
    int lock = check_slurm(err) ? open_folder(&s) : -1;
    wb_cli_catch_interrupts();
    const gr_entries *pending =
        lock >= 0 && gather_earlier(&s) ? slurm->find(slurm->ctx, err) : NULL;
    bool ok = pending && (pending->n == 0 || grade(&s, pending));
    if (!ok && !wb_cli_interrupted && !err->code)
        wb_fail(err, 1, _("out of memory"));
    close(lock);
    json_decref(s.list);
    WB_FREE(s.folder, s.path, s.list_path);
    return ok && !s.failed && !s.lost ? WB_EXIT_DONE : WB_EXIT_MACHINE;
}
