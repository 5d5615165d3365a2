/* exit.c: exit() in a cell. A program that checks a call, says what went wrong and leaves
 * ("if (e != cudaSuccess) exit(1);", as most of them do) would take the whole notebook along. So
 * exit() from the code of a cell, on the main thread, ends the cell: it jumps out as an interrupt
 * does, and like exit() it destroys nothing that stands in functions. A call from anywhere else,
 * from another thread or from under a library's function (qsort, a callback of CUDA's), which may
 * hold a lock, ends the process.
 *
 * The worker's own exit is found before libc's, as its __cxa_throw is (throw.c). */
#include "runtime/worker/process/process.h"
#include "runtime/json/json.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 64 };

static bool in_cell; /* a cell runs, and no program */
static bool left;
static int left_with, n_calls;
static void *calls[DEPTH];

static void *library_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Whether cells' functions alone stand between us and the call that runs the cell. */
static bool is_cells_own(void *const *addresses, int n) {
    void *own = library_of((const void *)(uintptr_t)exit_open);
    int i = 0;
    while (i < n && library_of(addresses[i]) == own) /* this file's */
        i++;
    int first = i;
    while (i < n && signals_is_cell((uintptr_t)addresses[i]))
        i++;
    return i > first && i < n && library_of(addresses[i]) == own;
}

/* Jumps out of the cell, if its own code called on the main thread. */
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

/* Reports a container's failed check and ends the cell. It is found before libstdc++'s own, which
 * would end the process. Interface: bits/c++config.h. */
__attribute__((visibility("default"), noreturn)) void
guard_failed(const char *file, int line, const char *function,
             const char *condition) __asm__("_ZSt21__glibcxx_assert_failPKciS0_S0_");

void guard_failed(const char *file, int line, const char *function, const char *condition) {
    (void)file, (void)line; /* of libstdc++'s header */
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
