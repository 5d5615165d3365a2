/* warpbook-plan: calls the student's solve() once for each test, in the sandbox, and leaves the
 * plans in files. solve() uses the recording libcudart, and each call has its own process.
 *
 *   warpbook-plan SUBMISSION.so JOBS.json STATUS.json SECONDS TOGETHER
 *
 * A call may take SECONDS, and all calls TOGETHER. Time in which a call waits for a processor does
 * not count, so a busy machine costs no points.
 *
 * JOBS.json: [{"plan": "FILE", "job": {...}}]. STATUS.json has a word for each: ["ended" |
 * "stopped" | "signal 11" | "skipped" | "full" | "late" | "unloadable: WHY" ...]. It is only for
 * messages, because the student's code could write it, too. The plans count.
 *
 * Exit status: GR_PLAN_NO_PROCESS if not even the first call got a process. */
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/job/job.h"
#include "runtime/json/json.h"

typedef void *(*buffer_fn)(const char *name, size_t bytes);
typedef void (*mark_fn)(void);
typedef void (*solve_fn)(void **arguments);
typedef char *(*demangle_fn)(const char *name, char *buffer, size_t *length, int *status);

enum { UNLOADABLE = 90 };

/* Pointers to all arguments, as the generated warpbook_solve expects them. */
typedef struct call {
    union {
        void *pointer;
        int64_t number; /* the widest type */
    } value[GR_MAX_ARGS];
    void *arguments[GR_MAX_ARGS];
} call;

static void make_call(const gr_job *job, buffer_fn buffer, call *c) {
    for (int i = 0; i < job->n_args; i++) {
        const gr_job_arg *arg = &job->args[i];
        c->arguments[i] = &c->value[i];
        if (gr_is_array(arg->role))
            c->value[i].pointer = buffer(arg->name, gr_job_arg_bytes(arg));
        else
            gr_type_set(arg->role == GR_SIZE ? GR_INT : arg->type, &c->value[i], 0,
                        arg->role == GR_SIZE ? (double)arg->count : arg->scalar);
    }
}

/* The loader's message, in a page that the parent shares with its children. */
static char *reason;
enum { REASON_BYTES = 4096 };

/* Stores a loader's "undefined symbol: _Z6helperv" with the demangled name. */
static _Noreturn void unloadable(void) {
    static const char mark[] = "undefined symbol: ";
    const char *why = dlerror(), *symbol = why ? strstr(why, mark) : NULL;
    demangle_fn demangle = (demangle_fn)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    char *plain = NULL;
    int status;
    if (symbol && demangle)
        plain = demangle(symbol + strlen(mark), NULL, NULL, &status);
    if (plain)
        snprintf(reason, REASON_BYTES, "%s%s", mark, plain);
    else
        snprintf(reason, REASON_BYTES, "%s", symbol ? symbol : "");
    _exit(UNLOADABLE);
}

static _Noreturn void run_child(const char *library, const gr_job *job, const char *plan) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    setenv("WARPBOOK_RECORD_PLAN", plan, 1);
    dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL); /* a demangler, for names in messages */
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
    void *submission = runtime ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!submission)
        unloadable();
    buffer_fn buffer = (buffer_fn)dlsym(runtime, "wb_record_buffer");
    mark_fn begin = (mark_fn)dlsym(runtime, "wb_record_begin");
    mark_fn end = (mark_fn)dlsym(runtime, "wb_record_end");
    solve_fn solve = (solve_fn)dlsym(submission, "warpbook_solve");
    if (!buffer || !begin || !end || !solve)
        unloadable();
    call c;
    make_call(job, buffer, &c);
    begin();
    solve(c.arguments);
    end();
    fflush(NULL);
    _exit(0);
}

/* Starts a process for a call, with up to 5 s of patience. Returns -1 if there is none. */
static pid_t start_process(void) {
    pid_t pid = fork();
    for (int i = 0; pid < 0 && i < 100; i++) {
        usleep(50000);
        pid = fork();
    }
    return pid;
}

/* Returns the seconds since `start` in which the process did not wait for a processor. */
static double taken_s(pid_t pid, double start) {
    return wb_now() - start - wb_proc_queued(pid);
}

/* Waits at most `seconds`, then kills the child's process group. Returns the seconds it took, and
 * writes the word for STATUS.json. */
static double wait_for(pid_t pid, double seconds, char *word, size_t size) {
    double start = wb_now(), taken = 0;
    int status = 0;
    pid_t done;
    while ((done = waitpid(pid, &status, WNOHANG)) == 0 && (taken = taken_s(pid, start)) < seconds)
        usleep(500);
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    if (done == 0) {
        waitpid(pid, &status, 0);
        snprintf(word, size, "stopped");
    } else if (WIFSIGNALED(status)) {
        snprintf(word, size, "signal %d", WTERMSIG(status));
    } else if (WEXITSTATUS(status) == UNLOADABLE) {
        snprintf(word, size, "unloadable: %.*s", (int)size - 20, reason);
    } else {
        snprintf(word, size, "ended");
    }
    return taken;
}

int main(int argc, char **argv) {
    json_t *jobs = argc == 6 ? json_load_file(argv[2], 0, NULL) : NULL;
    if (!json_is_array(jobs)) {
        fprintf(stderr, "warpbook-plan: made for `warpbook grade`\n");
        return 2;
    }
    reason = mmap(NULL, REASON_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reason == MAP_FAILED)
        return 1;
    json_t *words = json_array();
    double each = atof(argv[4]), left = atof(argv[5]);
    const char *why_not = NULL; /* the word of jobs that do not run */
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const json_t *entry = json_array_get(jobs, i);
        const char *plan = wb_field_string(entry, "plan");
        gr_job job;
        wb_error err;
        char word[400];
        if (!plan || !gr_job_load(json_object_get(entry, "job"), &job, &err))
            return 2;
        fflush(NULL);
        if (!why_not && left < 0)
            why_not = "late";
        pid_t pid = why_not ? -1 : start_process();
        if (pid == 0)
            run_child(argv[1], &job, plan);
        if (pid < 0 && !why_not && i == 0)
            return GR_PLAN_NO_PROCESS;
        if (pid < 0 && !why_not)
            why_not = "full"; /* earlier calls left processes behind */
        if (pid > 0)
            left -= wait_for(pid, each, word, sizeof word);
        else
            snprintf(word, sizeof word, "%s", why_not);
        /* a call that never ends would not end the next time */
        if (strcmp(word, "stopped") == 0 || strncmp(word, "unloadable", 10) == 0)
            why_not = "skipped";
        json_array_append_new(words, wb_json_text(word, strlen(word)));
    }
    int rc = json_dump_file(words, argv[3], JSON_COMPACT);
    WB_JSON_FREE(words, jobs);
    return rc == 0 ? 0 : 1;
}
