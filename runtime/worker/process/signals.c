/* signals.c: reports crashes before the process dies. */
#include "runtime/worker/process/process.h"
#include "runtime/json/json.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct library {
    const char *path;
    uintptr_t start, end;
} library;

/* A fixed size, because signal handlers read it. Beyond it crashes are reported without lines. */
static library libraries[WB_PROCESS_LIBRARIES];
static volatile size_t n_libraries;

static int control = -1; /* the socket for crash reports */
static uintptr_t stack_top;

/* glibc's message when it called abort(), for debuggers: a length and the text. NULL: unknown. */
static const struct {
    unsigned size;
    char text[];
} *const *last_words;

void signals_add_library(const char *path, uintptr_t start, uintptr_t end) {
    if (n_libraries == WB_PROCESS_LIBRARIES)
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

bool signals_is_cell(uintptr_t address) {
    return find_library(address) != NULL;
}

uintptr_t signals_counter(const ucontext_t *context) {
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

/* ---- a message written by hand, since nothing that allocates may be called ---- */

typedef struct note {
    unsigned char head[4];
    char text[8192];
    size_t len;
} note;

static void note_text(note *n, const char *text) {
    while (*text && n->len < sizeof n->text - 1)
        n->text[n->len++] = *text++;
}

/* Libraries' paths are our own (letters, digits, '/', '-', '.', '_') and need no escapes. Drops a
 * byte that would need one. */
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
    ssize_t ignored = send(control, n->head, 4, MSG_NOSIGNAL);
    ignored = send(control, n->text, n->len, MSG_NOSIGNAL);
    (void)ignored;
}

/* Adds glibc's "malloc(): corrupted top size" or similar, without characters to escape. */
static void note_words(note *n) {
    if (!last_words || !*last_words)
        return;
    note_text(n, ",\"words\":\"");
    for (const char *p = (*last_words)->text; *p; p++)
        if (*p >= ' ' && *p < 0x7f && *p != '"' && *p != '\\')
            note_text(n, (const char[]){*p, '\0'});
    note_text(n, "\"");
}

/* {"op":"crash","signal":11,"address":"1f","stack_overflow":false,"device":true,"words":..} */
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
    note_text(&n, overflow ? "\",\"stack_overflow\":true" : "\",\"stack_overflow\":false");
    if (cuda_owns(info->si_addr))
        note_text(&n, ",\"device\":true");
    if (signal_number == SIGABRT)
        note_words(&n);
    note_text(&n, "}");
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
        /* A return address is behind its call. The faulting instruction is itself. */
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
        if (in) /* a return address is behind its call */
            json_array_append_new(
                frames, wb_json_pack("[s, I]", in->path,
                                     (json_int_t)((uintptr_t)addresses[i] - in->start - 1)));
    }
    return frames;
}

static volatile sig_atomic_t file_too_large;

static void on_file_limit(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number, (void)info, (void)context;
    file_too_large = 1; /* the write fails with EFBIG, and the variables are kept */
}

size_t signals_file_limit(void) {
    struct rlimit limit;
    bool hit = file_too_large && getrlimit(RLIMIT_FSIZE, &limit) == 0;
    file_too_large = 0;
    return hit ? (size_t)limit.rlim_cur : 0;
}

void signals_crash(int signal_number, siginfo_t *info, void *context) {
    if (signal_number == SIGSEGV || signal_number == SIGBUS)
        interrupt_astray();
    signal(signal_number, SIG_DFL); /* a second crash in here ends the process at once */
    output_rescue();
    report_crash(signal_number, info, context);
    report_frames(signals_counter(context));
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal_number);
}

static struct sigaction ours[_NSIG]; /* by signal; without a handler: not ours */

void signals_handle(int signal_number, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction *action = &ours[signal_number];
    *action = (struct sigaction){.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action->sa_mask);
    sigaddset(&action->sa_mask, SIGINT);
    sigaddset(&action->sa_mask, SIGRTMAX);
    sigaction(signal_number, action, NULL);
}

const struct sigaction *signals_ours(int signal_number, sighandler_t handler) {
    if (signal_number <= 0 || signal_number >= _NSIG || !ours[signal_number].sa_sigaction ||
        ours[signal_number].sa_handler != handler)
        return NULL;
    return &ours[signal_number];
}

void signals_open(int fd) {
    control = fd;
    static char stack[1 << 17]; /* handles a stack overflow on another stack */
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    stack_top = (uintptr_t)__builtin_frame_address(0);
    void *warm[1];
    last_words = dlsym(RTLD_DEFAULT, "__abort_msg");
    backtrace(warm, 1); /* loads the unwinder now, not in a handler */
    signals_handle(SIGXFSZ, on_file_limit, SA_RESTART);
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signals_handle(crashes[i], signals_crash, SA_ONSTACK);
}
