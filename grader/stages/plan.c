/* plan.c: runs the student's host code with the recording libcudart, in the sandbox. */
#include "grader/job/job.h"
#include "grader/stages/stages.h"
#include "runtime/base/scoped.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/softgpu/engine.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PRINTED = 1 << 20, KEPT = 4096 };
/* memory of all the host code's processes together */
#define ROOM ((size_t)2 << 30)
/* limit by the clock, as a multiple of the limit without waiting for a processor */
enum { BUSY = 8 };

/* Describes the device to the host code (runtime/record/README.md). */
static char *describe_device(const wb_device *device) {
    json_t *json = json_pack("{s:s, s:I}", "name", device->name, "totalGlobalMem",
                             (json_int_t)(device->memory ? device->memory : (size_t)2 << 30));
    if (device->capability) {
        json_object_set_new(json, "major", json_integer(device->capability / 10));
        json_object_set_new(json, "minor", json_integer(device->capability % 10));
    }
    int sms = device->kind == WB_DEVICE_SOFT ? SG_MODEL_SMS : device->multiprocessors;
    if (sms)
        json_object_set_new(json, "multiProcessorCount", json_integer(sms));
    WB_SCOPED char *text = wb_json_dump(json, JSON_COMPACT);
    return text ? wb_format("WARPBOOK_RECORD_DEVICE=%s", text) : NULL;
}

/* Makes an empty file that the sandboxed user may fill. It can't replace it or add other files. */
static bool make_slot(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool ok = fchmod(fd, 0666) == 0;
    close(fd);
    return ok;
}

static bool write_jobs(gr_work *w, const char *path, const char **slots) {
    WB_SCOPED_JSON json_t *jobs = json_array();
    for (size_t i = 0; i < w->n_tasks; i++) {
        char *plan = gr_work_path(w, "plan-%zu", i);
        gr_job shown = w->tasks[i].job;
        shown.seed = 0; /* the student's code must not see it */
        slots[i] = plan;
        json_array_append_new(
            jobs, json_pack("{s:s, s:o}", "plan", plan ? plan : "", "job", gr_job_save(&shown)));
        if (!plan || !make_slot(plan))
            return false;
    }
    return json_dump_file(jobs, path, JSON_COMPACT) == 0 && chmod(path, 0644) == 0;
}

static void fail_by_signal(const gr_work *w, gr_task *task, int number) {
    int array = 0; /* every reference has one */
    while (array + 1 < w->lab->n_args && !gr_is_array(w->lab->args[array].role))
        array++;
    if (number == SIGSEGV || number == SIGBUS)
        gr_task_fail(
            task, WB_FOUND_HOST_CRASHED,
            _("the host code of solve() crashed: %s. Arrays such as %s lie on the device: only "
              "kernels may read or write what they point to"),
            strsignal(number), w->lab->args[array].name);
    else if (number == SIGABRT)
        gr_task_fail(task, WB_FOUND_HOST_ENDED,
                     _("the host code of solve() ended itself (%s): an assert that failed, an "
                       "exception that nobody caught, or abort()"),
                     strsignal(number));
    else
        gr_task_fail(task, WB_FOUND_HOST_CRASHED, _("the host code of solve() crashed: %s"),
                     strsignal(number));
}

/* Explains "unloadable: WHY". The loader's reason is "FILE: undefined symbol: NAME". */
static void fail_unloadable(gr_task *task, const char *word) {
    static const char mark[] = "undefined symbol: ";
    const char *name = strstr(word, mark);
    if (name)
        gr_task_fail(task, WB_FOUND_UNLOADABLE,
                     _("the program can't be loaded: %s is declared and used, but not defined"),
                     name + sizeof mark - 1);
    else
        gr_task_fail(task, WB_FOUND_UNLOADABLE, _("the program can't be loaded"));
}

/* Returns the limit of all calls of solve() together, in seconds. */
static double all_seconds(const gr_work *w) {
    return w->limits.plan_s * 2 + (double)w->n_tasks;
}

static void fail_late(const gr_work *w, gr_task *task) {
    gr_task_fail(task, WB_FOUND_HOST_ENDLESS,
                 _("not run: the host code of all tests did not end within %.0f s together"),
                 all_seconds(w));
}

/* Fails the tasks whose calls did not end well, by the words of warpbook-plan. */
static void read_status(gr_work *w, const char *path) {
    WB_SCOPED_JSON json_t *words = json_load_file(path, 0, NULL);
    for (size_t i = 0; i < w->n_tasks; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        int number;
        if (word && strcmp(word, "stopped") == 0)
            gr_task_fail(&w->tasks[i], WB_FOUND_HOST_ENDLESS,
                         _("the host code of solve() did not end within %.0f s"), w->limits.plan_s);
        else if (word && strcmp(word, "skipped") == 0)
            gr_task_fail(&w->tasks[i], WB_FOUND_NOT_RUN,
                         _("not run: the test before it never ended"));
        else if (word && strcmp(word, "full") == 0)
            gr_task_fail(&w->tasks[i], WB_FOUND_NOT_RUN,
                         _("not run: the host code of earlier tests left too many processes "
                           "behind"));
        else if (word && strcmp(word, "late") == 0)
            fail_late(w, &w->tasks[i]);
        else if (word && sscanf(word, "signal %d", &number) == 1)
            fail_by_signal(w, &w->tasks[i], number);
        else if (word && strncmp(word, "unloadable", 10) == 0)
            fail_unloadable(&w->tasks[i], word);
    }
}

static void keep_printed(gr_work *w, const wb_proc_result *r) {
    wb_buf_append(&w->printed, r->out.data ? r->out.data : "",
                  r->out.len < KEPT ? r->out.len : KEPT);
}

/* The paths and arguments of one run of warpbook-plan. */
typedef struct plan_run {
    char *library, *jobs, *status, *program, *record, *loader, *device;
    char *toolkit, *ptxas; /* host code that asks for occupancy needs them; else NULL */
    const char *slots[256];
} plan_run;

/* Fails the calls without a plan, because warpbook-plan itself had to be killed. */
static void fail_unplanned(gr_work *w) {
    for (size_t i = 0; i < w->n_tasks; i++) {
        struct stat st;
        WB_SCOPED char *path = gr_work_path(w, "plan-%zu", i);
        if (path && stat(path, &st) == 0 && st.st_size == 0)
            fail_late(w, &w->tasks[i]);
    }
}

static bool run_plan(gr_work *w, const plan_run *p) {
    wb_error err = {0};
    char seconds[32], together[32];
    snprintf(seconds, sizeof seconds, "%.1f", w->limits.plan_s);
    snprintf(together, sizeof together, "%.1f", all_seconds(w));
    const char *env[] = {p->loader, p->device, p->ptxas, NULL};
    const char *read_only[] = {p->library, p->jobs, p->toolkit, NULL};
    const char *own[] = {p->program, p->library, p->jobs, p->status, seconds, together, NULL};
    wb_sandbox_spec spec = {.read_only = read_only,
                            .writable = p->slots,
                            .program = own,
                            .env = env,
                            .memory = (size_t)512 << 20,
                            .processes = 16,
                            .file = (size_t)64 << 20,
                            .cpu_s = (unsigned)w->limits.plan_s + 1};
    char **wrapper = w->sandbox ? wb_sandbox_argv(&spec, &err) : NULL;
    if (w->sandbox && !wrapper)
        return gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    wb_proc_spec proc = {.argv = wrapper ? (const char *const *)wrapper : own,
                         .env = env,
                         .max_output = KEPT,
                         .limit_output = MAX_PRINTED,
                         .cgroup = gr_work_room(w, ROOM),
                         .merge_stderr = true,
                         .timeout_s = BUSY * all_seconds(w),
                         .stop = w->stop};
    wb_proc_result result;
    bool ok = wb_proc_run(&proc, &result, &err);
    if (gr_work_stopped(w))
        ok = false;
    else if (!ok)
        gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    else if (result.exit_code == GR_PLAN_NO_PROCESS)
        ok = gr_work_fail(w, WB_FOUND_MACHINE, _("this machine can start no more processes"));
    else if (result.flooded)
        ok = gr_work_fail(w, WB_FOUND_FLOODS, _("its host code prints without end (over %d bytes)"),
                          MAX_PRINTED);
    if (ok && result.timed_out)
        fail_unplanned(w);
    if (ok)
        keep_printed(w, &result);
    wb_proc_result_free(&result);
    wb_sandbox_argv_free(wrapper);
    return ok;
}

bool gr_stage_plan(gr_work *w) {
    plan_run p = {.library = wb_format("%s/submission.so", w->built),
                  .jobs = gr_work_path(w, "jobs", 0),
                  .status = gr_work_path(w, "status", 0),
                  .program = wb_path_lib("warpbook-plan"),
                  .record = wb_path_lib("record"),
                  .device = describe_device(w->device),
                  .toolkit = gr_toolkit_root(NULL),
                  .ptxas = wb_device_ptxas_entry()};
    /* without a sandbox, keep the caller's library path */
    const char *before = w->sandbox ? NULL : getenv("LD_LIBRARY_PATH");
    if (p.record)
        p.loader =
            wb_format("LD_LIBRARY_PATH=%s%s%s", p.record, before ? ":" : "", before ? before : "");
    bool ok = p.library && p.jobs && p.status && p.program && p.loader && p.device &&
              w->n_tasks + 1 < WB_COUNT(p.slots) && make_slot(p.status) &&
              write_jobs(w, p.jobs, p.slots);
    if (!ok)
        gr_work_fail(w, WB_FOUND_MACHINE, _("the files of the plan stage can't be made in %s"),
                     w->folder);
    if (ok)
        p.slots[w->n_tasks] = p.status;
    ok = ok && run_plan(w, &p);
    if (ok)
        read_status(w, p.status);
    for (size_t i = 0; i < w->n_tasks && i < WB_COUNT(p.slots); i++)
        free((char *)p.slots[i]);
    WB_FREE(p.library, p.jobs, p.status, p.program, p.record, p.loader, p.device, p.toolkit,
            p.ptxas);
    return ok;
}
