/* exit.c: exit() in a cell ends the cell, not the notebook's process. Many programs check a call
 * and leave: "if (e != cudaSuccess) exit(1);". From a cell's code on the main thread, exit() jumps
 * out of the cell as an interrupt does. Like the real exit(), it destroys no local variables. A
 * call from another thread, or below a library's function (qsort, a CUDA callback), may hold a
 * lock, so it ends the process.
 *
 * The loader finds the worker's exit before libc's, like its __cxa_throw (throw.c). */
#include "runtime/worker/process/process.h"
#include "runtime/json/json.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 64 };

static bool in_cell; /* a cell runs, not a program */
static bool left;
static int left_with, n_calls;
static void *calls[DEPTH];

static void *library_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Returns true if only cells' functions are between exit() and the call that runs the cell. */
static bool is_cells_own(void *const *addresses, int n) {
    void *own = library_of((const void *)(uintptr_t)exit_open);
    int i = 0;
    while (i < n && library_of(addresses[i]) == own) /* frames of this file */
        i++;
    int first = i;
    while (i < n && signals_is_cell((uintptr_t)addresses[i]))
        i++;
    return i > first && i < n && library_of(addresses[i]) == own;
}

/* Jumps out of the cell if its own code on the main thread called exit(). */
static void leave_cell(int status) {
    bool main_thread = (pid_t)syscall(SYS_gettid) == getpid();
    if (!main_thread || !in_cell)
        return;
    n_calls = backtrace(calls, DEPTH);
    left = is_cells_own(calls, n_calls);
    left_with = status;
    if (left)
        interrupt_jump();
}

__attribute__((visibility("default"), noreturn)) void exit(int status) {
    leave_cell(status);
    void (*real)(int) = (void (*)(int))dlsym(RTLD_NEXT, "exit");
    if (real)
        real(status);
    _exit(status);
}

/* Reports a container's failed check and ends the cell. The loader finds it before libstdc++'s,
 * which would end the process. Interface: bits/c++config.h. */
__attribute__((visibility("default"), noreturn)) void
guard_failed(const char *file, int line, const char *function,
             const char *condition) __asm__("_ZSt21__glibcxx_assert_failPKciS0_S0_");

void guard_failed(const char *file, int line, const char *function, const char *condition) {
    (void)file, (void)line; /* they name libstdc++'s header */
    talk_send(wb_json_pack("{s:s, s:s, s:s}", "op", "guard", "function", function, "condition",
                           condition));
    leave_cell(1);
    abort();
}

void exit_open(bool cell) {
    in_cell = cell;
    left = false;
}

void exit_close(void) {
    in_cell = false;
}

bool exit_report(int *status) {
    if (!left)
        return false;
    left = false;
    *status = left_with;
    json_t *frames = signals_frames(calls, n_calls);
    if (json_array_size(frames) > 0)
        talk_send(json_pack("{s:s, s:o}", "op", "frames", "frames", frames));
    else
        json_decref(frames);
    return true;
}
