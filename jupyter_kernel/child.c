/* child.c: child processes with live output. */
#include "jupyter_kernel/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long an interrupted child has to end by itself, and how long what it left running in the
 * background may keep its pipes open. */
static const double interrupt_grace_s = 1.0, pipe_grace_s = 0.2;

/* A pipe of the child's, and what of its text is not yet a whole code point. */
typedef struct stream {
    int fd, number;
    char carry[4];
    size_t carry_len;
} stream;

static _Noreturn void become(const char *program, char *const *argv, int out, int err,
                             pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out, 1);
    dup2(err, 2);
    if (null > 2)
        close(null);
    execv(program, argv);
    _exit(127);
}

static pid_t start(const child_spec *spec, stream streams[2], wb_error *err) {
    char *program = wb_path_find(spec->argv[0]);
    if (!program) {
        wb_fail(err, ENOENT, "%s: there is no such program", spec->argv[0]);
        return -1;
    }
    int out[2] = {-1, -1}, error[2] = {-1, -1};
    bool ok = pipe2(out, O_CLOEXEC) == 0 && pipe2(error, O_CLOEXEC) == 0;
    pid_t parent = getpid(), pid = ok ? fork() : -1;
    if (pid == 0)
        become(program, (char *const *)spec->argv, out[1], error[1], parent);
    if (pid < 0)
        wb_fail(err, errno, "%s: can't start a process: %s", spec->argv[0], strerror(errno));
    else
        setpgid(pid, pid);
    free(program);
    close(out[1]);
    close(error[1]);
    streams[0] = (stream){.fd = out[0], .number = 1};
    streams[1] = (stream){.fd = error[0], .number = 2};
    return pid;
}

static void show(const child_spec *spec, stream *s, const char *data, size_t len, bool final) {
    wb_buf text = {0};
    wb_utf8_decode(&text, s->carry, &s->carry_len, data, len, final);
    if (text.len > 0 && spec->output)
        spec->output(spec->ctx, s->number, text.data, text.len);
    wb_buf_free(&text);
}

static void read_stream(const child_spec *spec, stream *s) {
    char chunk[32768];
    ssize_t n = read(s->fd, chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n > 0) {
        show(spec, s, chunk, (size_t)n, false);
        return;
    }
    show(spec, s, "", 0, true);
    close(s->fd);
    s->fd = -1;
}

static void attend(const child_spec *spec, pid_t pid, stream streams[2], child_result *r) {
    double interrupted = 0, ended = 0;
    while (!ended || streams[0].fd >= 0 || streams[1].fd >= 0) {
        struct pollfd fds[] = {{streams[0].fd, POLLIN, 0},
                               {streams[1].fd, POLLIN, 0},
                               {interrupted > 0 ? -1 : spec->interrupt_fd, POLLIN, 0}};
        poll(fds, 3, streams[0].fd >= 0 || streams[1].fd >= 0 ? 20 : 5);
        for (int i = 0; i < 2; i++)
            if (fds[i].revents)
                read_stream(spec, &streams[i]);
        if (fds[2].revents && !ended) {
            interrupted = wb_now();
            r->interrupted = true;
            kill(-pid, SIGINT);
        }
        if (interrupted > 0 && !ended && wb_now() - interrupted > interrupt_grace_s)
            kill(-pid, SIGKILL);
        siginfo_t info = {0}; /* WNOWAIT: the pid stays ours until the group is gone too */
        if (!ended && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid)
            ended = wb_now();
        if (ended && wb_now() - ended > pipe_grace_s)
            break;
    }
}

bool child_run(const child_spec *spec, child_result *result, wb_error *err) {
    *result = (child_result){.exit_code = -1};
    stream streams[2];
    pid_t pid = start(spec, streams, err);
    if (pid < 0)
        return false;
    attend(spec, pid, streams, result);
    kill(-pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < 2; i++)
        if (streams[i].fd >= 0)
            close(streams[i].fd);
    if (WIFEXITED(status))
        result->exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        result->signal = WTERMSIG(status);
    return true;
}
