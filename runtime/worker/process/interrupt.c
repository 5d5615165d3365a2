/* interrupt.c: ends a cell on SIGINT, where that is safe.
 *
 * It may jump out only while the main thread runs the cell's own code, or sleeps in a system call
 * that holds no lock. A jump out of malloc or the driver would leave their locks held.
 *
 * Elsewhere it sets a flag, asks softgpu to stop its kernels, and puts a breakpoint where the
 * cell's call returns, like a debugger's "finish". (A loop of printf spends less than 1 % of its
 * time in its own code, and some processors deliver no interrupt there.) It tries again every
 * millisecond. The session kills the process if nothing ends the cell. */
#include "runtime/worker/process/process.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pid_t process, main_thread;
static sigjmp_buf escape;
static timer_t ticker; /* our own timer and signal, so that a cell may use alarm() */
static volatile sig_atomic_t in_cell;
volatile int interrupt_came;

/* ---- the breakpoint ------------------------------------------------------------------------- */

#if defined(__x86_64__)

enum { BREAKPOINT = 0xcc }; /* int3, one byte */

static uintptr_t page_size;
static unsigned char *volatile planted; /* its address; NULL: none */
static unsigned char replaced;          /* the original byte */

/* Returns false if the system forbids to write code. */
static bool write_code(unsigned char *at, unsigned char byte) {
    void *page = (void *)((uintptr_t)at & ~(page_size - 1));
    if (mprotect(page, page_size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    *(volatile unsigned char *)at = byte;
    mprotect(page, page_size, mappings_code(at));
    return true;
}

static void take_back(void) {
    unsigned char *at = planted;
    if (at && write_code(at, replaced))
        planted = NULL;
}

/* Returns true if a call instruction ends at `at`, as before every return address: call rel32, or
 * call through a register or memory (FF /2; Intel SDM, volume 2, CALL). Unwinders may be wrong. */
static bool follows_call(const unsigned char *at) {
    for (int length = 2; length <= 7; length++)
        if (at[-length] == 0xff && (at[1 - length] >> 3 & 7) == 2)
            return true;
    return at[-5] == 0xe8;
}

static void on_breakpoint(int signal_number, siginfo_t *info, void *context) {
    unsigned char *at = (unsigned char *)signals_counter(context) - 1;
    bool ours = at == planted;
    if (info->si_code != SI_KERNEL ||
        (!ours && (!signals_is_cell((uintptr_t)at) || *at == BREAKPOINT))) {
        signals_crash(signal_number, info, context); /* the cell's own breakpoint */
        return;
    }
    /* Continues with the restored instruction. */
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)at;
    if (!ours)
        return; /* another thread hit it just before it was removed */
    if (getpid() != process)
        take_back(); /* a forked child inherited it */
    else if ((pid_t)syscall(SYS_gettid) == main_thread)
        interrupt_jump();
    else
        sched_yield(); /* another thread hits it again until it is removed */
}

/* Returns true if a breakpoint would reach on_breakpoint. The cell may handle or block SIGTRAP. */
static bool is_heard(const ucontext_t *context) {
    struct sigaction now;
    return !sigismember(&context->uc_sigmask, SIGTRAP) && sigaction(SIGTRAP, NULL, &now) == 0 &&
           now.sa_sigaction == on_breakpoint;
}

/* Held while a call changes what SIGTRAP does. No breakpoint may be set where such a call returns:
 * it would reach the cell's handler, or a blocked signal. */
static atomic_flag changing = ATOMIC_FLAG_INIT;

/* Begins such a call; end_change() ends it. On the main thread it never waits: stop_on_return,
 * which runs there, has finished by then. */
static void begin_change(void) {
    while (atomic_flag_test_and_set(&changing) && getpid() == process)
        sched_yield();
    if (getpid() == process)
        take_back();
}

static void end_change(void) {
    atomic_flag_clear(&changing);
}

/* Ends the cell if an interrupt came during its call that changes signals. A loop of such calls is
 * nearly always where no breakpoint may be set; here no lock is held. `caller`: where it
 * returns. */
static void end_cell_if_asked(const void *caller) {
    if (interrupt_came && in_cell && getpid() == process &&
        (pid_t)syscall(SYS_gettid) == main_thread && signals_is_cell((uintptr_t)caller))
        interrupt_jump();
}

#define FOR_THE_CELL __attribute__((visibility("default")))

/* Finds libc's function and caches it in `real`. */
#define REAL(real, name) (real = real ? real : (__typeof__(real))dlsym(RTLD_NEXT, name))

typedef int action_call(int, const struct sigaction *, struct sigaction *);
typedef int mask_call(int, const sigset_t *, sigset_t *);

/* The loader finds these calls before libc's (as exit.c's exit). */
FOR_THE_CELL int sigaction(int number, const struct sigaction *now, struct sigaction *before) {
    static action_call *real;
    bool change = number == SIGTRAP && now;
    REAL(real, "sigaction");
    if (change)
        begin_change();
    int result = real(number, now, before);
    if (change)
        end_change();
    end_cell_if_asked(__builtin_return_address(0));
    return result;
}

static sighandler_t set_handler(int number, sighandler_t handler) {
    static sighandler_t (*real)(int, sighandler_t);
    const struct sigaction *ours = signals_ours(number, handler);
    struct sigaction past;
    if (ours)
        return sigaction(number, ours, &past) == 0 ? past.sa_handler : SIG_ERR;
    REAL(real, "signal");
    if (number == SIGTRAP)
        begin_change();
    sighandler_t before = real(number, handler);
    if (number == SIGTRAP)
        end_change();
    return before;
}

FOR_THE_CELL sighandler_t signal(int number, sighandler_t handler) {
    sighandler_t before = set_handler(number, handler);
    end_cell_if_asked(__builtin_return_address(0));
    return before;
}

static int change_mask(mask_call *real, int how, const sigset_t *set, sigset_t *before,
                       const void *caller) {
    bool change = set && how != SIG_UNBLOCK && sigismember(set, SIGTRAP) == 1;
    if (change)
        begin_change();
    int result = real(how, set, before);
    if (change)
        end_change();
    end_cell_if_asked(caller);
    return result;
}

FOR_THE_CELL int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
    static mask_call *real;
    return change_mask(REAL(real, "sigprocmask"), how, set, before, __builtin_return_address(0));
}

FOR_THE_CELL int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    static mask_call *real;
    return change_mask(REAL(real, "pthread_sigmask"), how, set, before,
                       __builtin_return_address(0));
}

static sigjmp_buf astray;
static volatile sig_atomic_t unwinding;

void interrupt_astray(void) {
    if (unwinding && (pid_t)syscall(SYS_gettid) == main_thread)
        siglongjmp(astray, 1);
}

/* Finds the return addresses on the stack and returns their number. Returns 0 if the unwinder
 * crashes, because a library's assembly may lack unwind tables. */
static int calls_on_stack(void **calls, int most) {
    volatile int count = 0;
    unwinding = 1;
    if (sigsetjmp(astray, 1) == 0)
        count = backtrace(calls, most);
    unwinding = 0;
    return count;
}

/* Stops the main thread when it returns to the cell's code, at the innermost return address there.
 * For the handler of a signal that interrupted it elsewhere. */
static void plant(const ucontext_t *context) {
    static void *calls[64];
    unsigned char *at = NULL;
    int count = is_heard(context) ? calls_on_stack(calls, sizeof calls / sizeof calls[0]) : 0;
    for (int i = 0; i < count && !at; i++)
        if (signals_is_cell((uintptr_t)calls[i]))
            at = calls[i];
    if (at == planted)
        return;
    take_back();
    if (!at || planted || !follows_call(at))
        return;
    replaced = *at;
    planted = at; /* first: another thread may hit it at once */
    if (!write_code(at, BREAKPOINT))
        planted = NULL;
}

static void stop_on_return(const ucontext_t *context) {
    if (atomic_flag_test_and_set(&changing))
        return; /* tries again in a millisecond */
    plant(context);
    atomic_flag_clear(&changing);
}

static void open_breakpoints(void) {
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    signals_handle(SIGTRAP, on_breakpoint, SA_ONSTACK);
}

#else /* other processors have no breakpoints: they only try every millisecond */

static void take_back(void) {
}

static void stop_on_return(const ucontext_t *context) {
    (void)context;
}

void interrupt_astray(void) {
}

static void open_breakpoints(void) {
}

#endif

/* ---- the interrupt -------------------------------------------------------------------------- */

/* Returns true if the code at pc sleeps without a lock, in one of libc's waiting calls. */
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

static void tick(bool on) {
    const struct timespec period = {0, on ? 1000 * 1000 : 0};
    timer_settime(ticker, 0, &(struct itimerspec){period, period}, NULL);
}

_Noreturn void interrupt_jump(void) {
    interrupt_leave();
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
    if (signal_number == SIGINT && !interrupt_came) {
        interrupt_came = 1;
        output_mute();
        cuda_interrupt();
        tick(true);
    }
    uintptr_t pc = signals_counter(context);
    if (!interrupt_came)
        return;
    if (signals_is_cell(pc) || is_sleeping(pc))
        interrupt_jump();
    stop_on_return(context);
}

void interrupt_open(void) {
    process = getpid();
    main_thread = (pid_t)syscall(SYS_gettid);
    open_breakpoints();
    signals_handle(SIGINT, on_interrupt, 0);
    signals_handle(SIGRTMAX, on_interrupt, SA_RESTART);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX};
    timer_create(CLOCK_MONOTONIC, &event, &ticker);
}

sigjmp_buf *interrupt_enter(void) {
    interrupt_came = 0;
    return &escape;
}

void interrupt_start(void) {
    in_cell = 1;
}

void interrupt_leave(void) {
    in_cell = 0;
    output_unmute();
    tick(false);
    take_back();
}
