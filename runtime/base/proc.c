/* proc.c: child processes with limits. */
#include "runtime/base/base.h"
#include "runtime/base/language.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The parent's ends of the child's pipes; -1 once closed. */
typedef struct pipes {
    int in, out, err;
} pipes;

static void close_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void set_limit(int resource, size_t value) {
    struct rlimit limit = {value, value};
    if (value)
        setrlimit((__rlimit_resource_t)resource, &limit);
}

extern char **environ;

char **wb_proc_environment(const char *const *over) {
    size_t n = 0, m = 0;
    while (environ[n])
        n++;
    while (over && over[m])
        m++;
    const char *language = wb_language_entry();
    char **merged = calloc(n + m + 2, sizeof *merged);
    if (!merged)
        return NULL;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        size_t name = strcspn(environ[i], "=");
        bool replaced = language && strncmp(environ[i], language, name + 1) == 0;
        for (size_t j = 0; j < m && !replaced; j++)
            replaced = strcspn(over[j], "=") == name && strncmp(over[j], environ[i], name) == 0;
        if (!replaced)
            merged[k++] = environ[i];
    }
    for (size_t j = 0; j < m; j++)
        if (strchr(over[j], '='))
            merged[k++] = (char *)over[j];
    if (language)
        merged[k++] = (char *)language;
    return merged;
}

/* Joins the control group whose cgroup.procs file is `group`. NULL: none. */
static bool join(const char *group) {
    int fd = group ? open(group, O_WRONLY | O_CLOEXEC) : -1;
    return !group || (fd >= 0 && write(fd, "0", 1) == 1 && close(fd) == 0);
}

static _Noreturn void become_child(const wb_proc_spec *spec, const char *program, char **env,
                                   const char *group, int in, int out, int err, int report,
                                   pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent died before prctl */
        _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    if (spec->nice)
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + spec->nice);
    set_limit(RLIMIT_CPU, spec->limit_cpu_s > 0 ? (size_t)(spec->limit_cpu_s + 0.999) : 0);
    set_limit(RLIMIT_AS, spec->limit_memory);
    set_limit(RLIMIT_FSIZE, spec->limit_file);
    if (spec->pass_fd > 0)
        fcntl(spec->pass_fd, F_SETFD, 0);
    if (join(group) && (!spec->cwd || chdir(spec->cwd) == 0))
        execve(program, (char *const *)spec->argv, env);
    int why = errno;
    ssize_t ignored = write(report, &why, sizeof why);
    (void)ignored;
    _exit(127);
}

/* Returns true if the system shows which call a process waits in. Else `ask` is never called. */
static bool tells_who_reads(void) {
    return access("/proc/self/syscall", R_OK) == 0;
}

/* Forks and executes. Returns the pid, or -1 with *err. *p gets the parent's ends of the pipes. */
static pid_t start(const wb_proc_spec *spec, pipes *p, wb_error *err) {
    char *program = wb_path_find(spec->argv[0]);
    char **env = wb_proc_environment(spec->env); /* after fork() malloc is not allowed */
    char *group = spec->cgroup ? wb_format("%s/cgroup.procs", spec->cgroup) : NULL;
    int in[2] = {-1, -1}, out[2] = {-1, -1}, error[2] = {-1, -1}, report[2] = {-1, -1};
    pid_t pid = -1;
    if (!program || !env || (spec->cgroup && !group)) {
        wb_fail(err, ENOENT, _("%s: there is no such program"), spec->argv[0]);
        goto done;
    }
    bool ok =
        pipe2(out, O_CLOEXEC) == 0 && pipe2(error, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0;
    if (spec->input || (spec->ask && tells_who_reads()))
        ok = ok && pipe2(in, O_CLOEXEC) == 0;
    else
        ok = ok && (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
    pid_t parent = getpid();
    pid = ok ? fork() : -1;
    if (pid == 0)
        become_child(spec, program, env, group, in[0], out[1],
                     spec->merge_stderr ? out[1] : error[1], report[1], parent);
    if (pid < 0) {
        wb_fail(err, errno, _("%s: can't start a process: %s"), spec->argv[0], strerror(errno));
        goto done;
    }
    setpgid(pid, pid); /* also here, so that an early kill finds the group */
    close_fd(&report[1]);
    int why = 0;
    if (read(report[0], &why, sizeof why) == (ssize_t)sizeof why) {
        wb_fail(err, why, _("%s: can't be run: %s"), spec->argv[0], strerror(why));
        waitpid(pid, NULL, 0);
        pid = -1;
        goto done;
    }
    *p = (pipes){in[1], out[0], error[0]};
    in[1] = out[0] = error[0] = -1;
done:
    for (int i = 0; i < 2; i++) {
        close_fd(&in[i]);
        close_fd(&out[i]);
        close_fd(&error[i]);
        close_fd(&report[i]);
    }
    WB_FREE(program, group, env);
    return pid;
}

/* Reads what is available of stdout (1) or stderr (2). Passes it to spec->output, or keeps at most
 * max_output bytes (0: all). Closes *fd at the end of file. */
static void drain(int *fd, int number, const wb_proc_spec *spec, wb_buf *keep, size_t *total) {
    char chunk[65536];
    ssize_t n = read(*fd, chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        close_fd(fd);
        return;
    }
    *total += (size_t)n;
    if (spec->output) {
        spec->output(spec->ctx, number, chunk, (size_t)n);
        return;
    }
    size_t max = spec->max_output;
    size_t room = !max ? (size_t)n : keep->len < max ? max - keep->len : 0;
    wb_buf_append(keep, chunk, (size_t)n < room ? (size_t)n : room);
}

static void feed(int *fd, const wb_proc_spec *spec, size_t *sent) {
    ssize_t n = *sent < spec->input_len
                    ? write(*fd, (const char *)spec->input + *sent, spec->input_len - *sent)
                    : 0;
    if (n > 0)
        *sent += (size_t)n;
    if (*sent >= spec->input_len || (n < 0 && errno != EINTR && errno != EAGAIN))
        close_fd(fd);
}

/* ---- questions ------------------------------------------------------------------------------- */

#define ASK_AFTER_S 0.1

/* Returns true if the process waits in read(0) on that pipe. /proc/PID/syscall (proc(5)) says so
 * for one's own processes. */
static bool reads(int pid, ino_t pipe) {
    char path[40];
    struct stat input;
    long call = -1;
    unsigned long fd = 1;
    snprintf(path, sizeof path, "/proc/%d/fd/0", pid);
    if (stat(path, &input) != 0 || input.st_ino != pipe)
        return false;
    snprintf(path, sizeof path, "/proc/%d/syscall", pid);
    FILE *file = fopen(path, "re");
    int n = file ? fscanf(file, "%ld 0x%lx", &call, &fd) : 0;
    if (file)
        fclose(file);
    return n == 2 && call == SYS_read && fd == 0;
}

static bool group_reads(pid_t group, int in) {
    struct stat pipe;
    DIR *processes = fstat(in, &pipe) == 0 ? opendir("/proc") : NULL;
    bool found = false;
    for (const struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        int pid = atoi(entry->d_name);
        found = pid > 0 && getpgid(pid) == group && reads(pid, pipe.st_ino);
    }
    if (processes)
        closedir(processes);
    return found;
}

static void answer(pipes *p, const wb_proc_spec *spec) {
    char *line = spec->ask(spec->ctx);
    size_t n = line ? strlen(line) : 0;
    if (line)
        line[n++] = '\n'; /* replaces the NUL */
    for (size_t done = 0; done < n;) {
        ssize_t some = write(p->in, line + done, n - done);
        if (some < 0 && errno != EINTR)
            break;
        done += some > 0 ? (size_t)some : 0;
    }
    if (!line)
        close_fd(&p->in);
    free(line);
}

/* ---- time ---- */

/* A process in /proc/PID/stat (proc(5)): its own time, and that of children it waited for. */
typedef struct relative {
    int pid, parent;
    bool ours;
    double seconds;
} relative;

static bool read_relative(const char *name, relative *r) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = '\0';
    const char *rest = strrchr(text, ')'); /* the name before it may hold anything */
    unsigned long ticks[4];
    *r = (relative){.pid = atoi(name)};
    if (!rest || sscanf(rest + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
                        &r->parent, &ticks[0], &ticks[1], &ticks[2], &ticks[3]) != 5)
        return false;
    r->seconds = (double)(ticks[0] + ticks[1] + ticks[2] + ticks[3]) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

static double time_of(relative *all, size_t n, int root) {
    double seconds = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            bool child = all[i].pid == root;
            for (size_t k = 0; k < n && !child; k++)
                child = all[k].ours && all[k].pid == all[i].parent;
            if (child && !all[i].ours) {
                more = all[i].ours = true;
                seconds += all[i].seconds;
            }
        }
    }
    return seconds;
}

/* Returns the CPU time of a process and its descendants, in seconds. Orphans that another process
 * adopted are not counted. */
static double family_seconds(pid_t root) {
    enum { MOST = 4096 };
    DIR *processes = opendir("/proc");
    relative *all = malloc(MOST * sizeof *all);
    size_t n = 0;
    const struct dirent *entry;
    while (processes && all && n < MOST && (entry = readdir(processes)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            n += read_relative(entry->d_name, &all[n]);
    double seconds = all ? time_of(all, n, (int)root) : 0;
    free(all);
    if (processes)
        closedir(processes);
    return seconds;
}

double wb_proc_queued(int pid) {
    char path[40];
    unsigned long long ran = 0, queued = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int n = fscanf(file, "%llu %llu", &ran, &queued);
    fclose(file);
    return n == 2 ? 1e-9 * (double)queued : 0;
}

/* Checks the CPU time only when that much wall time (`gone`) has passed, then every 0.25 s (*next),
 * because that walks through /proc. */
static bool out_of_time(pid_t pid, const wb_proc_spec *spec, double gone, double *next) {
    if (spec->timeout_s > 0 && gone > spec->timeout_s)
        return true;
    if (spec->timeout_cpu_s <= 0 || gone < spec->timeout_cpu_s || gone < *next)
        return false;
    *next = gone + 0.25;
    return family_seconds(pid) > spec->timeout_cpu_s;
}

/* Moves data until the child has ended. Kills its group when it exceeds a limit. */
static void attend(pid_t pid, pipes *p, const wb_proc_spec *spec, wb_proc_result *r, int *status) {
    double start_time = wb_now(), ended = 0, stopped = 0, next = 0, active = start_time;
    size_t sent = 0;
    bool running = true;
    if (p->in >= 0 && !spec->ask)
        fcntl(p->in, F_SETFL, O_NONBLOCK);
    while (running || p->out >= 0 || p->err >= 0) {
        struct pollfd fds[] = {
            {p->out, POLLIN, 0}, {p->err, POLLIN, 0}, {spec->ask ? -1 : p->in, POLLOUT, 0}};
        if (poll(fds, 3, p->out >= 0 || p->err >= 0 ? 20 : 5) > 0)
            active = wb_now();
        if (fds[0].revents)
            drain(&p->out, 1, spec, &r->out, &r->out_total);
        if (fds[1].revents)
            drain(&p->err, 2, spec, &r->err, &r->err_total);
        if (fds[2].revents)
            feed(&p->in, spec, &sent);
        if (running && spec->ask && p->in >= 0 && wb_now() - active > ASK_AFTER_S) {
            if (group_reads(pid, p->in))
                answer(p, spec);
            active = wb_now();
        }
        if (running) {
            siginfo_t info = {0}; /* WNOWAIT: keeps the pid until the group is dead */
            if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid) {
                running = false;
                ended = wb_now();
                kill(-pid, SIGKILL);
            }
        }
        /* A descendant that left the group may hold the pipes. Wait for it at most one second. */
        if (!running && wb_now() - ended > 1.0)
            break;
        if (running && !r->timed_out && out_of_time(pid, spec, wb_now() - start_time, &next)) {
            r->timed_out = true;
            kill(-pid, SIGKILL);
        }
        if (running && spec->stop && *spec->stop && !r->stopped) {
            r->stopped = true;
            stopped = wb_now();
            kill(-pid, spec->stop_grace_s > 0 ? SIGINT : SIGKILL);
        }
        if (running && r->stopped && wb_now() - stopped > spec->stop_grace_s)
            kill(-pid, SIGKILL);
        if (running && spec->limit_output && r->out_total + r->err_total > spec->limit_output &&
            !r->flooded) {
            r->flooded = true;
            kill(-pid, SIGKILL);
        }
    }
    r->wall_s = ended - start_time;
    struct rusage usage = {0};
    while (wait4(pid, status, 0, &usage) < 0 && errno == EINTR)
        ;
    r->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

bool wb_proc_run(const wb_proc_spec *spec, wb_proc_result *result, wb_error *err) {
    *result = (wb_proc_result){.exit_code = -1};
    pipes p = {-1, -1, -1};
    pid_t pid = start(spec, &p, err);
    if (pid < 0)
        return false;
    /* A child that closes stdin early must not kill us. */
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    int status = 0;
    attend(pid, &p, spec, result, &status);
    struct timespec now = {0, 0};
    while (sigtimedwait(&pipe_signal, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close_fd(&p.in);
    close_fd(&p.out);
    close_fd(&p.err);
    if (WIFEXITED(status))
        result->exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        result->signal = WTERMSIG(status);
    return true;
}

void wb_proc_result_free(wb_proc_result *result) {
    WB_BUF_FREE(&result->out, &result->err);
}

const char *wb_proc_describe(const wb_proc_result *r, char *text, size_t size) {
    if (r->timed_out)
        snprintf(text, size, _("stopped after %.1f s, its time limit"), r->wall_s);
    else if (r->stopped)
        snprintf(text, size, _("stopped after %.1f s, as asked"), r->wall_s);
    else if (r->flooded)
        snprintf(text, size, _("stopped after printing %zu bytes"), r->out_total + r->err_total);
    else if (r->signal)
        snprintf(text, size, _("ended by signal %d (%s)"), r->signal, strsignal(r->signal));
    else
        snprintf(text, size, _("ended with exit status %d"), r->exit_code);
    return text;
}
