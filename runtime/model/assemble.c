/* assemble.c: see assemble.h.
 *
 * The program may wait for any child, ignore SIGCHLD or count on it. So ptxas is a grandchild. The
 * process between them sends no signal when it ends, and only a wait with __WCLONE finds it. Both
 * are made as by vfork, so that no memory is copied, whatever the program's size. */
#include "runtime/model/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN = 3, OUT = 4, ENDS = 5 }; /* ptxas's descriptors: the PTX, the code */
enum { STACK_BYTES = 64 << 10, CPU_SECONDS = 300, LOG_BYTES = 1 << 20 };

/* Functions on the children's stack never return there. The address sanitizer would find their
 * marks on that memory later. */
#define ON_CHILDS_STACK __attribute__((no_sanitize("address")))

typedef struct job {
    const char *program;
    const char *const *argv;
    char **env;
    char *stack;            /* two stacks, one above the other */
    int null, log, in, out; /* all at least ENDS */
    int why;                /* errno if there is no process or the program did not run; else 0 */
    int status;             /* from wait */
} job;

extern char **environ;

ON_CHILDS_STACK static void close_others(void) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, ENDS, ~0u, 0) == 0)
        return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = ENDS; fd < (most > 0 && most < 65536 ? most : 65536); fd++)
        close(fd);
}

/* Resets all handlers: the program's handlers must not run here, on its memory. */
ON_CHILDS_STACK static void reset_signals(void) {
    struct sigaction action, standard = {.sa_handler = SIG_DFL};
    for (int s = 1; s < NSIG; s++)
        if (sigaction(s, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaction(s, &standard, NULL);
}

/* Becomes ptxas. Shares its memory with the program, so every write is visible there. */
ON_CHILDS_STACK static int grandchild(void *argument) {
    job *j = argument;
    struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, before;
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getrlimit(RLIMIT_CPU, &before) == 0 && before.rlim_cur > CPU_SECONDS)
        setrlimit(RLIMIT_CPU, &cpu);
    if (dup2(j->null, 0) == 0 && dup2(j->log, 1) == 1 && dup2(j->log, 2) == 2 &&
        dup2(j->in, IN) == IN && dup2(j->out, OUT) == OUT) {
        close_others();
        reset_signals();
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(j->program, (char *const *)j->argv, j->env);
    }
    j->why = errno;
    _exit(127);
}

ON_CHILDS_STACK static int child(void *argument) {
    job *j = argument;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigaction(SIGCHLD, &standard, NULL); /* if SIGCHLD were ignored, wait would find nothing */
    pid_t pid = clone(grandchild, j->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, j);
    if (pid < 0)
        j->why = errno;
    while (pid > 0 && waitpid(pid, &j->status, 0) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* Runs the job to its end. */
static void run(job *j) {
    sigset_t all, before;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = clone(child, j->stack + (size_t)2 * STACK_BYTES, CLONE_VM | CLONE_VFORK, j);
    if (pid < 0)
        j->why = errno;
    while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancel, NULL);
}

/* Returns the environment without LD_*, which would load softgpu's libraries into ptxas. */
static char **make_environment(void) {
    size_t n = 0, k = 0;
    while (environ && environ[n])
        n++;
    char **env = calloc(n + 1, sizeof *env);
    for (size_t i = 0; env && i < n && environ[i]; i++)
        if (strncmp(environ[i], "LD_", 3) != 0)
            env[k++] = environ[i];
    return env;
}

/* Moves a descriptor above 0..OUT. */
static int lift(int fd) {
    int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, ENDS) : -1;
    if (fd >= 0)
        close(fd);
    return high;
}

static int memory_file(const char *data, size_t len) {
    int fd = lift(memfd_create("ptxas", MFD_CLOEXEC));
    if (fd < 0 || wb_write_all(fd, data, len))
        return fd;
    close(fd);
    return -1;
}

static bool read_log(int fd, wb_buf *log) {
    char piece[4096];
    ssize_t n;
    for (off_t at = 0; at < LOG_BYTES && (n = pread(fd, piece, sizeof piece, at)) > 0; at += n)
        wb_buf_append(log, piece, (size_t)n);
    return !log->failed && wb_buf_puts(log, "");
}

/* Turns "ptxas FILE, line 30; error   : Unknown modifier" into "line 30: Unknown modifier". */
static bool refuse(const job *j, const wb_buf *log, wb_error *err) {
    const char *at = log->data;
    while (at && *at) {
        size_t len = strcspn(at, "\n");
        const char *kind = memmem(at, len, "error  ", 7);
        kind = kind ? kind : memmem(at, len, "fatal  ", 7);
        const char *text = kind ? memmem(kind, (size_t)(at + len - kind), " : ", 3) : NULL;
        const char *line = text ? memmem(at, (size_t)(kind - at), ", line ", 7) : NULL;
        int place = line ? (int)strcspn(line + 2, ";") : 0;
        if (text)
            return wb_fail(err, 1, _("ptxas refuses this code: %.*s%s%.*s"), place,
                           line ? line + 2 : "", line ? ": " : "", (int)(at + len - text) - 3,
                           text + 3);
        at += len + (at[len] == '\n');
    }
    if (WIFSIGNALED(j->status) &&
        (WTERMSIG(j->status) == SIGXCPU || WTERMSIG(j->status) == SIGKILL))
        return wb_fail(err, 1, _("ptxas was stopped: this code takes too much time or memory"));
    return wb_fail(err, 1, _("ptxas ended with %s %d"),
                   WIFSIGNALED(j->status) ? _("signal") : _("status"),
                   WIFSIGNALED(j->status) ? WTERMSIG(j->status) : WEXITSTATUS(j->status));
}

bool model_assemble(const char *ptxas, const char *arch, const char *kernel, const char *ptx,
                    size_t len, wb_buf *log, wb_error *err) {
    /* untrusted code reaches ptxas through a program that confines it */
    const char *by = wb_setting("WARPBOOK_SOFTGPU_PTXAS_BY");
    const char *const whole[] = {by,
                                 ptxas,
                                 "-v",
                                 "-arch",
                                 arch,
                                 "-o",
                                 "/proc/self/fd/4",
                                 "/proc/self/fd/3",
                                 kernel ? "-e" : NULL,
                                 kernel,
                                 NULL};
    bool confined = by != NULL;
    job j = {.program = confined ? by : ptxas,
             .argv = whole + !confined,
             .env = make_environment(),
             .stack = mmap(NULL, (size_t)2 * STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0),
             .null = lift(open("/dev/null", O_RDONLY | O_CLOEXEC)),
             .log = memory_file("", 0),
             .in = memory_file(ptx, len),
             .out = memory_file("", 0)};
    bool ok =
        j.env && j.stack != MAP_FAILED && j.null >= 0 && j.log >= 0 && j.in >= 0 && j.out >= 0;
    if (!ok) {
        wb_fail(err, errno, _("can't prepare to run ptxas: %s"), strerror(errno));
    } else {
        run(&j);
        if (j.why)
            ok = wb_fail(err, j.why, _("can't run %.400s: %s"), j.program, strerror(j.why));
        else if (!read_log(j.log, log))
            ok = wb_fail(err, ENOMEM, _("out of memory"));
        else if (j.status != 0)
            ok = refuse(&j, log, err);
    }
    if (j.stack != MAP_FAILED)
        munmap(j.stack, (size_t)2 * STACK_BYTES);
    for (const int *fd = (const int[]){j.null, j.log, j.in, j.out, -1}, *end = fd + 4; fd < end;
         fd++)
        if (*fd >= 0)
            close(*fd);
    free(j.env);
    return ok;
}
