/* plan.c: writes the plan as JSON (its format: README.md), and stops recording. */
#include "runtime/record/plan.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/record/record.h"
#include "runtime/record/refuse.h"

enum { MAX_STEPS = 65536, STOPPED_STATUS = 4 };

static json_t *steps;
static enum { BEFORE, DURING, AFTER } phase;

json_t *plan_hex(const void *data, size_t bytes) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *p = data;
    WB_SCOPED char *text = malloc(bytes * 2 + 1);
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < bytes; i++) {
        text[2 * i] = digits[p[i] >> 4];
        text[2 * i + 1] = digits[p[i] & 15];
    }
    text[2 * bytes] = '\0';
    return json_string(text);
}

static json_t *buffers_json(void) {
    json_t *list = json_array();
    for (int i = 0; i < plan_buffer_count(); i++) {
        const plan_buffer *b = plan_buffer_at(i);
        json_array_append_new(list, json_pack("{s:i, s:s, s:s, s:I}", "id", i, "name", b->name,
                                              "kind", b->is_argument ? "argument" : "temporary",
                                              "bytes", (json_int_t)b->bytes));
    }
    return list;
}

/* Writes the plan. Takes over `error`. Without a plan, the grader reports that. */
static void write_plan(bool complete, json_t *error) {
    const char *path = getenv("WARPBOOK_RECORD_PLAN");
    if (steps == NULL)
        steps = json_array();
    json_t *plan =
        json_pack("{s:i, s:b, s:o, s:O, s:o}", "version", 1, "complete", complete, "buffers",
                  buffers_json(), "steps", steps, "error", error != NULL ? error : json_null());
    if (path != NULL && plan != NULL && json_dump_file(plan, path, JSON_COMPACT) != 0)
        fprintf(stderr, _("the plan can't be written to %s\n"), path);
    json_decref(plan);
}

/* Returns the error. whole: the text needs no name of the call. */
static json_t *error_json(const char *call, cudaError_t code, const char *text, bool whole) {
    return json_pack("{s:s, s:i, s:s, s:b}", "call", call, "code", (int)code, "text", text, "whole",
                     whole);
}

_Noreturn void plan_stop(const char *call, cudaError_t code, const char *format, ...) {
    char text[1200];
    WB_FORMAT_INTO(text, format);
    fflush(NULL);
    write_plan(false, error_json(call, code, text, true));
    _exit(STOPPED_STATUS);
}

_Noreturn void wb_record_refuse(const char *call, const char *text) {
    plan_stop(call, cudaErrorNotSupported, "%s: %s", call, text);
}

void plan_step(const char *call, json_t *step) {
    if (phase == AFTER) { /* destructors of the program, whose work does not count */
        json_decref(step);
        return;
    }
    if (phase == BEFORE)
        plan_stop(call, cudaErrorNotSupported,
                  _("%s runs before solve() is called; do all device work in solve()"), call);
    if (steps == NULL)
        steps = json_array();
    RT_LOCKED();
    if (step == NULL || json_array_size(steps) >= MAX_STEPS ||
        json_array_append_new(steps, step) != 0)
        plan_stop(call, cudaErrorNotSupported, _("solve() makes more than %d launches and copies"),
                  MAX_STEPS);
}

__attribute__((visibility("default"))) void *wb_record_buffer(const char *name, size_t bytes) {
    RT_LOCKED();
    int i = plan_buffer_new(name, bytes, true);
    if (i < 0)
        plan_stop(__func__, cudaErrorMemoryAllocation, _("there are too many arguments"));
    return (void *)(uintptr_t)plan_buffer_at(i)->base;
}

/* Writes a plan that reports a crash in solve(). The process is broken, so this uses no heap and
 * leaves out the steps. */
static void crashed(int number, siginfo_t *info, void *context) {
    (void)context;
    static char text[1000];
    const char *path = getenv("WARPBOOK_RECORD_PLAN");
    const char *what = number == SIGSEGV || number == SIGBUS ? "a segmentation fault"
                       : number == SIGABRT                   ? "abort()"
                       : number == SIGFPE                    ? "a division by zero"
                                                             : "an illegal instruction";
    bool device = (number == SIGSEGV || number == SIGBUS) && plan_is_device_address(info->si_addr);
    int n = snprintf(text, sizeof text,
                     "{\"version\":1,\"complete\":false,\"buffers\":[],\"steps\":[],\"error\":{"
                     "\"call\":\"solve\",\"code\":%d,\"whole\":true,\"text\":\"%s%s\"}}",
                     (int)cudaErrorUnknown,
                     device ? _("host code of solve() reads or writes device memory; only "
                                "kernels and cudaMemcpy can")
                            : _("solve() ends with "),
                     device ? "" : what);
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (fd >= 0 && write(fd, text, (size_t)n) != n)
        unlink(path); /* half a plan is useless */
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_for_crashes(void) {
    static char stack[64 << 10]; /* the program's own stack may be full */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

__attribute__((visibility("default"))) void wb_record_begin(void) {
    phase = DURING;
    write_plan(false, NULL);
    watch_for_crashes();
}

__attribute__((visibility("default"))) void wb_record_end(void) {
    rt_error u;
    bool failed = rt_error_get(RT_UNCHECKED, &u, false);
    phase = AFTER;
    write_plan(true, failed ? error_json(u.call, u.code, u.text, u.launch) : NULL);
}

/* Writes the plan of a program that ends within solve(), by exit(). */
__attribute__((destructor)) static void at_exit(void) {
    rt_error u;
    char text[1500];
    if (phase != DURING)
        return;
    /* a program that checks its calls ends so; its error is the cause */
    bool failed = rt_error_get(RT_UNCHECKED, &u, false) || rt_error_get(RT_ANSWERED, &u, false);
    snprintf(text, sizeof text, _("solve() ends the process instead of returning%s%s%s%s"),
             failed ? ", behind an error of " : "", failed ? u.call : "", failed ? ": " : "",
             failed ? u.text : "");
    write_plan(false, error_json("exit", cudaErrorUnknown, text, true));
}
