/* worker_signals.c: crashes are reported before the process dies; interrupts end a cell where that
 * is safe.
 *
 * An interrupt (SIGINT) may jump out of a cell only when the main thread is in the cell's own code,
 * or asleep in a system call that holds no lock: jumping out of malloc or the driver would leave
 * their locks taken. Elsewhere it only marks that it came, asks softgpu to stop its kernels, and
 * looks again every millisecond. The session kills the process when none of that ends the
 * cell. */
#include "runtime/worker/process.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct library {
    const char *path;
    uintptr_t start, end;
} library;

/* Fixed room, since signal handlers read it; a session of more cells reports crashes without lines.
 */
static library libraries[8192];
static volatile size_t n_libraries;

static pid_t main_thread;
static uintptr_t stack_top;
static sigjmp_buf escape;
static volatile sig_atomic_t in_cell;
volatile int signals_interrupted;

void signals_add_library(const char *path, uintptr_t start, uintptr_t end) {
    if (n_libraries == sizeof libraries / sizeof libraries[0])
        return;
    libraries[n_libraries] = (library){strdup(path), start, end};
    n_libraries++;
}

static const library *find_library(uintptr_t address) {
    for (size_t i = n_libraries; i-- > 0;)
        if (address >= libraries[i].start && address < libraries[i].end)
            return &libraries[i];
    return NULL;
}

static uintptr_t program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

static uintptr_t stack_pointer(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    return (uintptr_t)context->uc_mcontext.sp;
#endif
}

/* ---- a message written by hand, since nothing that allocates may be called ---------------------
 */

typedef struct note {
    unsigned char head[4];
    char text[8192];
    size_t len;
} note;

static void note_text(note *n, const char *text) {
    while (*text && n->len < sizeof n->text - 1)
        n->text[n->len++] = *text++;
}

/* Paths of libraries are our own (letters, digits, '/', '-', '.', '_'), so they need no escapes; a
 * byte that would need one is left out. */
static void note_path(note *n, const char *path) {
    for (; *path; path++)
        if (*path != '"' && *path != '\\' && (unsigned char)*path >= 0x20) {
            const char one[2] = {*path, 0};
            note_text(n, one);
        }
}

static void note_number(note *n, uint64_t value, unsigned base) {
    char digits[24];
    size_t i = sizeof digits - 1;
    digits[i] = '\0';
    do
        digits[--i] = "0123456789abcdef"[value % base];
    while ((value /= base) && i > 0);
    note_text(n, digits + i);
}

static void note_send(note *n) {
    for (int i = 0; i < 4; i++)
        n->head[i] = (unsigned char)(n->len >> (8 * i));
    ssize_t ignored = send(process_fd(), n->head, 4, MSG_NOSIGNAL);
    ignored = send(process_fd(), n->text, n->len, MSG_NOSIGNAL);
    (void)ignored;
}

/* {"op":"crash","signal":11,"address":"1f","stack_overflow":false} */
static void report_crash(int signal_number, const siginfo_t *info, const ucontext_t *context) {
    static note n;
    uintptr_t address = (uintptr_t)info->si_addr, sp = stack_pointer(context);
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    bool overflow = signal_number == SIGSEGV && known && address < sp + 65536 &&
                    address + (1 << 20) > sp && stack_top - sp + (1 << 20) > limit.rlim_cur;
    note_text(&n, "{\"op\":\"crash\",\"signal\":");
    note_number(&n, (uint64_t)signal_number, 10);
    note_text(&n, ",\"address\":\"");
    note_number(&n, address, 16);
    note_text(&n, overflow ? "\",\"stack_overflow\":true}" : "\",\"stack_overflow\":false}");
    note_send(&n);
}

/* {"op":"frames","frames":[["/path/cell.so",4660],...]}: offsets of the calls in cells' code */
static void report_frames(uintptr_t pc) {
    static note n;
    static void *addresses[256];
    int count = backtrace(addresses, sizeof addresses / sizeof addresses[0]);
    note_text(&n, "{\"op\":\"frames\",\"frames\":[");
    int written = 0;
    bool seen_pc = false;
    for (int i = 0; i < count && written < 32; i++) {
        uintptr_t at = (uintptr_t)addresses[i];
        const library *in = find_library(at);
        if (!in)
            continue;
        seen_pc = seen_pc || at == pc;
        note_text(&n, written++ ? ",[\"" : "[\"");
        note_path(&n, in->path);
        note_text(&n, "\",");
        /* A return address stands behind its call; the faulting instruction is itself. */
        note_number(&n, at - in->start - (at == pc ? 0 : 1), 10);
        note_text(&n, "]");
    }
    if (written == 0 && find_library(pc)) {
        note_text(&n, "[\"");
        note_path(&n, find_library(pc)->path);
        note_text(&n, "\",");
        note_number(&n, pc - find_library(pc)->start, 10);
        note_text(&n, "]");
    }
    note_text(&n, "]}");
    note_send(&n);
}

json_t *signals_frames(void *const *addresses, int count) {
    json_t *frames = json_array();
    for (int i = 0; i < count && json_array_size(frames) < 32; i++) {
        const library *in = find_library((uintptr_t)addresses[i]);
        if (in) /* a return address: it stands behind its call */
            json_array_append_new(frames,
                                  json_pack("[s, I]", in->path,
                                            (json_int_t)((uintptr_t)addresses[i] - in->start - 1)));
    }
    return frames;
}

static void on_crash(int signal_number, siginfo_t *info, void *context) {
    /* A second crash, inside this handler, ends the process at once: SA_RESETHAND. */
    output_rescue();
    report_crash(signal_number, info, context);
    report_frames(program_counter(context));
    signal(signal_number, SIG_DFL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal_number);
}

/* ---- interrupts
 * ---------------------------------------------------------------------------------- */

/* Whether the code at pc sleeps without holding a lock: one of libc's waiting calls. */
static bool is_sleeping(uintptr_t pc) {
    static const char *const calls[] = {
        "clock_nanosleep", "nanosleep",    "sleep",   "usleep", "poll",
        "select",          "pselect",      "ppoll",   "pause",  "epoll_wait",
        "sigsuspend",      "sigtimedwait", "waitpid", "wait4"};
    Dl_info info;
    if (!dladdr((void *)pc, &info) || !info.dli_sname)
        return false;
    const char *name = info.dli_sname;
    while (*name == '_')
        name++;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strcmp(name, calls[i]) == 0)
            return true;
    return false;
}

/* A timer and a signal of our own, so that a cell may use alarm(). */
static timer_t ticker;

static void tick(bool on) {
    const struct timespec period = {0, on ? 1000 * 1000 : 0};
    timer_settime(ticker, 0, &(struct itimerspec){period, period}, NULL);
}

_Noreturn void signals_jump(void) {
    in_cell = 0;
    output_unmute();
    tick(false);
    siglongjmp(escape, 1);
}

static void on_interrupt(int signal_number, siginfo_t *info, void *context) {
    (void)info;
    if (!in_cell)
        return;
    if ((pid_t)syscall(SYS_gettid) != main_thread) {
        syscall(SYS_tgkill, getpid(), main_thread, signal_number);
        return;
    }
    if (signal_number == SIGINT && !signals_interrupted) {
        signals_interrupted = 1;
        output_mute();
        cuda_interrupt();
        tick(true);
    }
    uintptr_t pc = program_counter(context);
    if (signals_interrupted && (find_library(pc) || is_sleeping(pc)))
        signals_jump();
}

static void handle(int signal_number, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void signals_open(void) {
    static char stack[1 << 17]; /* crashes of a full stack are handled on another one */
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    main_thread = (pid_t)syscall(SYS_gettid);
    stack_top = (uintptr_t)__builtin_frame_address(0);
    void *warm[1];
    backtrace(warm, 1); /* loads the unwinder now, not in a handler */
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        handle(crashes[i], on_crash, SA_ONSTACK | SA_RESETHAND);
    handle(SIGINT, on_interrupt, 0);
    handle(SIGRTMAX, on_interrupt, SA_RESTART);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX};
    timer_create(CLOCK_MONOTONIC, &event, &ticker);
}

sigjmp_buf *signals_enter(void) {
    signals_interrupted = 0;
    return &escape;
}

void signals_leave(void) {
    in_cell = 0;
    output_unmute();
    signals_interrupted = 0;
    tick(false);
}

void signals_start(void) {
    in_cell = 1;
}
