/* worker.c: the session's side of the worker process: starts it, sends jobs, passes output to the
 * sink, and finds out how it ended. */
#include "runtime/worker/client/worker.h"
#include "runtime/base/language.h"
#include "runtime/json/json.h"
#include "runtime/worker/client/place.h"
#include "runtime/worker/shared/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* between SIGINT and SIGKILL, without time spent waiting for a CPU */
static const double grace_s = 1.0;
static const double longest_grace_s = 10.0; /* the limit on a busy machine */
/* wait for output of descendants that hold the pipes open */
static const double last_words_s = 1.0;

typedef struct stream {
    int fd;     /* -1 after the end of file */
    int number; /* 1 or 2, for the sink */
    char carry[4];
    size_t carry_len;
    const wb_names *names; /* or NULL */
    wb_buf held;           /* possibly an incomplete name of a cell */
    wb_buf tail;           /* the last unfinished line: the prompt of a read from stdin */
} stream;

struct wb_worker {
    pid_t pid; /* also its process group; 0 once reaped */
    int end;   /* a pidfd, readable once the process has ended; -1: the kernel has none */
    int control, wake;
    stream out, err;
    wb_buf in;
    atomic_bool running, interrupted;
    _Atomic double interrupted_at, queued_then; /* seconds, and wb_proc_queued at that time */
    atomic_size_t memory_used, memory_total;
    unsigned long kills; /* wb_memory_kills() before the running job */
};

/* ---- starting and ending ---- */

static _Noreturn void become_worker(const wb_worker_options *options, const char *program,
                                    char *const *env, int control, int out, int err, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_IGN); /* until the worker handles it */
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out, 1);
    dup2(err, 2);
    dup2(control, 3);
    if (options->limit_memory)
        setrlimit(RLIMIT_DATA, &(struct rlimit){options->limit_memory, RLIM_INFINITY});
    if (options->cwd && chdir(options->cwd) != 0)
        _exit(126);
    char *argv[] = {(char *)"warpbook-worker", (char *)"--fd", (char *)"3", NULL};
    execve(program, argv, env);
    _exit(127);
}

static bool spawn(wb_worker *w, const wb_worker_options *options, wb_error *err) {
    char *program = wb_path_lib("warpbook-worker");
    char **entries = wb_device_entries(options->device);
    char **env = entries ? wb_proc_environment((const char *const *)entries) : NULL;
    int control[2] = {-1, -1}, out[2] = {-1, -1}, error[2] = {-1, -1};
    bool ok = program && env && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) == 0 &&
              pipe2(out, O_CLOEXEC) == 0 && pipe2(error, O_CLOEXEC) == 0;
    pid_t parent = getpid();
    if (ok && access(program, X_OK) != 0) {
        wb_fail(err, ENOENT, _("the worker program %s is missing; `make` builds it"), program);
        ok = false;
    } else if (!ok || (w->pid = fork()) < 0) {
        ok = wb_fail(err, errno, _("can't start the worker process: %s"), strerror(errno));
    }
    if (ok && w->pid == 0)
        become_worker(options, program, env, control[1], out[1], error[1], parent);
    if (ok) {
        setpgid(w->pid, w->pid);
        w->end = (int)syscall(SYS_pidfd_open, w->pid, 0);
        w->control = control[0];
        w->out.fd = out[0];
        w->err.fd = error[0];
        fcntl(w->out.fd, F_SETFL, O_NONBLOCK);
        fcntl(w->err.fd, F_SETFL, O_NONBLOCK);
        control[0] = out[0] = error[0] = -1;
    } else {
        w->pid = 0;
    }
    const int left[] = {control[0], control[1], out[0], out[1], error[0], error[1]};
    for (size_t i = 0; i < WB_COUNT(left); i++)
        if (left[i] >= 0)
            close(left[i]);
    WB_FREE(program, env);
    wb_device_entries_free(entries);
    return ok;
}

wb_worker *wb_worker_start(const wb_worker_options *options, wb_error *err) {
    wb_worker *w = calloc(1, sizeof *w);
    if (!w) {
        wb_fail(err, ENOMEM, _("out of memory"));
        return NULL;
    }
    w->control = w->end = -1;
    w->out = (stream){.fd = -1, .number = 1};
    w->err = (stream){.fd = -1, .number = 2};
    w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!spawn(w, options, err)) {
        wb_worker_stop(w);
        return NULL;
    }
    json_t *hello = wb_channel_receive(w->control, &w->in, NULL);
    bool ready = hello != NULL;
    json_decref(hello);
    if (!ready) {
        int status = 0;
        waitpid(w->pid, &status, 0);
        w->pid = 0;
        wb_fail(err, EIO,
                _("the worker process ended before it was ready (status %d); is %s whole?"),
                WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), wb_path_prefix());
        wb_worker_stop(w);
        return NULL;
    }
    return w;
}

static void close_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Kills the group and reaps the process. Returns the wait status. *peak (may be NULL) gets its peak
 * resident bytes. */
static int reap(wb_worker *w, size_t *peak) {
    int status = 0;
    struct rusage usage = {0};
    if (w->pid <= 0)
        return 0;
    kill(-w->pid, SIGKILL);
    while (wait4(w->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    if (peak)
        *peak = (size_t)usage.ru_maxrss * 1024;
    w->pid = 0;
    return status;
}

void wb_worker_stop(wb_worker *w) {
    if (!w)
        return;
    reap(w, NULL);
    close_fd(&w->control);
    close_fd(&w->end);
    close_fd(&w->wake);
    close_fd(&w->out.fd);
    close_fd(&w->err.fd);
    WB_BUF_FREE(&w->in, &w->out.tail, &w->err.tail, &w->out.held, &w->err.held);
    free(w);
}

bool wb_worker_alive(const wb_worker *w) {
    struct pollfd ended = {w->end, POLLIN, 0};
    return w->pid > 0 && poll(&ended, 1, 0) == 0;
}

int wb_worker_pid(const wb_worker *w) {
    return w->pid;
}

bool wb_worker_memory(const wb_worker *w, size_t *used, size_t *total) {
    *used = w->memory_used;
    *total = w->memory_total;
    return *total != 0;
}

void wb_worker_interrupt(wb_worker *w) {
    if (!w->running)
        return;
    if (!w->interrupted) { /* last, because its readers use the other two */
        w->queued_then = wb_proc_queued(w->pid);
        w->interrupted_at = wb_now();
        w->interrupted = true;
    }
    if (w->pid > 0)
        kill(-w->pid, SIGINT);
    uint64_t one = 1;
    ssize_t ignored = write(w->wake, &one, sizeof one);
    (void)ignored;
}

/* ---- what it prints ---- */

/* Keeps the text after the last newline, at most 1 KiB. */
static void keep_tail(wb_buf *tail, const char *text, size_t len) {
    const char *newline = memrchr(text, '\n', len);
    if (newline) {
        wb_buf_clear(tail);
        len -= (size_t)(newline + 1 - text);
        text = newline + 1;
    }
    wb_buf_append(tail, text, len);
    if (tail->len > 1024)
        wb_buf_consume(tail, tail->len - 1024);
}

/* Says if more output follows the text: at once, later, or none. */
typedef enum follows { MORE, LATER, NOTHING } follows;

/* Moves s->held into text with the cells' numbers. If more output follows at once, keeps back what
 * may be an incomplete name. */
static void translate(stream *s, wb_buf *text, follows what) {
    size_t keep = what == MORE ? wb_names_open(s->held.data, s->held.len) : 0;
    wb_names_append(s->names, text, s->held.data, s->held.len - keep);
    wb_buf_consume(&s->held, s->held.len - keep);
}

static void emit(stream *s, const wb_sink *sink, const char *data, size_t len, follows what) {
    wb_buf text = {0};
    wb_utf8_decode(s->names ? &s->held : &text, s->carry, &s->carry_len, data, len,
                   what == NOTHING);
    if (s->names && s->held.len)
        translate(s, &text, what);
    if (text.len) {
        keep_tail(&s->tail, text.data, text.len);
        if (sink->stream)
            sink->stream(sink->ctx, s->number, text.data, text.len);
    }
    wb_buf_free(&text);
}

/* Reads what is available, at most about a megabyte, so that interrupts are seen soon. */
static bool pump(stream *s, const wb_sink *sink) {
    static _Thread_local char chunk[65536];
    for (int i = 0; s->fd >= 0 && i < 16; i++) {
        ssize_t n = read(s->fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            emit(s, sink, "", 0, LATER);
            return false;
        }
        if (n == 0) {
            close_fd(&s->fd);
            return false;
        }
        emit(s, sink, chunk, (size_t)n, MORE);
    }
    return s->fd >= 0;
}

static void pump_all(wb_worker *w, const wb_sink *sink) {
    while (pump(&w->out, sink) || pump(&w->err, sink))
        ;
}

/* ---- what it says ---- */

static void set_text(char **to, const json_t *text) {
    free(*to);
    *to = json_is_string(text) ? strdup(json_string_value(text)) : NULL;
}

static void on_input(wb_worker *w, const wb_sink *sink) {
    char *line = NULL;
    if (sink->input)
        line = sink->input(sink->ctx, w->out.tail.data ? w->out.tail.data : "", false);
    wb_buf_clear(&w->out.tail);
    wb_channel_send(w->control, wb_json_pack("{s:s, s:s?}", "op", "input", "text", line));
    free(line);
}

static void on_crash(wb_outcome *o, const json_t *message) {
    o->kind = WB_CRASHED;
    o->signal = (int)wb_field_int(message, "signal");
    o->stack_overflow = wb_field_true(message, "stack_overflow");
    const char *address = wb_field_string(message, "address");
    o->address = address ? strtoull(address, NULL, 16) : 0;
    o->device = wb_field_true(message, "device");
    set_text(&o->text, json_object_get(message, "words"));
}

static void on_done(wb_worker *w, wb_outcome *o, const json_t *message) {
    static const struct {
        const char *name;
        wb_outcome_kind kind;
    } kinds[] = {{"ran", WB_RAN},         {"returned", WB_RAN}, {"threw", WB_THREW},
                 {"stopped", WB_STOPPED}, {"left", WB_LEFT},    {"unloadable", WB_UNLOADABLE},
                 {"exited", WB_EXITED}};
    const char *name = wb_field_string(message, "outcome");
    for (size_t i = 0; name && i < WB_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            o->kind = kinds[i].kind;
    set_text(&o->text, json_object_get(message, "text"));
    o->exit_status = (int)wb_field_int(message, "status");
    const json_t *finished = json_object_get(message, "finished");
    bool early = o->kind == WB_THREW || o->kind == WB_STOPPED || o->kind == WB_LEFT ||
                 (name && strcmp(name, "returned") == 0);
    if (finished && early)
        o->finished = (size_t)json_integer_value(finished);
    o->file_limit = (size_t)wb_field_int(message, "file_limit");
    o->held = (size_t)wb_field_int(message, "held");
    o->limit = (size_t)wb_field_int(message, "limit");
    o->alive = wb_field_true(message, "usable") && o->kind != WB_EXITED;
    if (json_object_get(message, "report")) {
        json_decref(o->report);
        o->report = json_incref(json_object_get(message, "report"));
    }
    w->memory_used = (size_t)wb_field_int(message, "memory_used");
    w->memory_total = (size_t)wb_field_int(message, "memory_total");
    const json_t *cuda = json_object_get(message, "cuda");
    if (!cuda)
        return;
    o->cuda_code = (int)wb_field_int(cuda, "code");
    o->cuda_late = wb_field_true(cuda, "asynchronous");
    set_text(&o->cuda_name, json_object_get(cuda, "name"));
    if (o->kind == WB_RAN) {
        o->kind = WB_CUDA_FAILED;
        set_text(&o->text, json_object_get(cuda, "text"));
    }
}

/* Records that the worker could not send a message of that op because it was too long. Returns true
 * if it was the last message. */
static bool on_unsaid(wb_outcome *o, const char *op) {
    bool last = op && strcmp(op, "done") == 0;
    o->unsaid = true;
    if (last) { /* exception texts are short, so a report was too long */
        o->kind = WB_RAN;
        o->alive = true;
    }
    return last;
}

/* Returns a value with the cells' numbers; a new reference. */
static json_t *plain(const wb_worker *w, json_t *value) {
    json_incref(value);
    return w->out.names ? wb_names_json(w->out.names, value) : value;
}

/* Handles a message. Returns true if it ends the job. */
static bool on_message(wb_worker *w, const wb_sink *sink, wb_outcome *o, const json_t *message) {
    const char *op = wb_field_string(message, "op");
    if (!op)
        return false;
    if (strcmp(op, "value") == 0) {
        if (!o->value)
            o->value = json_object();
        const char *mime = wb_field_string(message, "mime");
        if (mime)
            json_object_set_new(o->value, mime, plain(w, json_object_get(message, "data")));
    } else if (strcmp(op, "display") == 0) {
        json_t *data = plain(w, json_object_get(message, "data"));
        if (sink->display)
            sink->display(sink->ctx, data, json_object_get(message, "metadata"),
                          wb_field_string(message, "display_id"), wb_field_true(message, "update"));
        json_decref(data);
        wb_channel_send(w->control, json_pack("{s:s}", "op", "shown"));
    } else if (strcmp(op, "clear") == 0) {
        if (sink->clear)
            sink->clear(sink->ctx, wb_field_true(message, "wait"));
        wb_channel_send(w->control, json_pack("{s:s}", "op", "shown"));
    } else if (strcmp(op, "input") == 0) {
        on_input(w, sink);
    } else if (strcmp(op, "crash") == 0) {
        on_crash(o, message);
    } else if (strcmp(op, "guard") == 0) {
        json_decref(o->guard);
        o->guard = json_incref((json_t *)message);
    } else if (strcmp(op, "fault") == 0) {
        json_decref(o->report);
        o->report = wb_json_pack("{s:O}", "fault", json_object_get(message, "fault"));
        /* the first ones belong to the exception */
    } else if (strcmp(op, "frames") == 0 && !o->frames) {
        wb_symbolize(json_object_get(message, "frames"), &o->frames, &o->n_frames);
    } else if (strcmp(op, "unsaid") == 0) {
        return on_unsaid(o, wb_field_string(message, "of"));
    } else if (strcmp(op, "done") == 0) {
        on_done(w, o, message);
        return true;
    }
    return false;
}

/* Takes messages. The worker flushes before it sends, so output precedes its message. */
static bool take_messages(wb_worker *w, const wb_sink *sink, wb_outcome *o, bool *broken) {
    json_t *message;
    bool done = false;
    while (!done && (message = wb_channel_take(&w->in, broken))) {
        pump_all(w, sink);
        done = on_message(w, sink, o, message);
        json_decref(message);
    }
    return done;
}

/* ---- running ---- */

static json_t *request(const wb_job *job) {
    json_t *argv = json_array();
    for (size_t i = 0; job->argv && job->argv[i]; i++)
        json_array_append_new(argv, wb_json_text(job->argv[i], strlen(job->argv[i])));
    json_t *all = wb_json_pack("{s:s, s:s, s:i, s:i, s:b, s:o, s:O*, s:O*, s:s*, s:s*, s:s}", "op",
                               "run", "library", job->library, "cell", job->cell, "options",
                               (int)job->options, "program", job->program, "argv", argv, "statics",
                               job->statics, "binds", job->binds, "record", job->record, "debug",
                               job->debug, "language", wb_language_name(wb_language_get()));
    wb_place_add(all);
    return all;
}

/* Waits for the next event. Returns false once the process has ended, even if a child of it holds
 * the channel open, or once it closed the channel. */
static bool wait_and_fill(wb_worker *w, const wb_sink *sink) {
    struct pollfd fds[] = {{w->control, POLLIN, 0},
                           {w->out.fd, POLLIN, 0},
                           {w->err.fd, POLLIN, 0},
                           {w->wake, POLLIN, 0},
                           {w->end, POLLIN, 0}};
    if (w->interrupted && w->pid > 0)
        kill(w->pid, SIGINT); /* repeated, because the first one may have preceded the cell */
    poll(fds, WB_COUNT(fds), w->interrupted ? 20 : -1);
    if (fds[3].revents) {
        uint64_t count;
        ssize_t ignored = read(w->wake, &count, sizeof count);
        (void)ignored;
    }
    if (fds[1].revents)
        pump(&w->out, sink);
    if (fds[2].revents)
        pump(&w->err, sink);
    return fds[0].revents ? wb_channel_fill(w->control, &w->in) : !fds[4].revents;
}

static bool overdue(const wb_worker *w) {
    double since = w->interrupted ? wb_now() - w->interrupted_at : 0;
    return since > grace_s &&
           (since - (wb_proc_queued(w->pid) - w->queued_then) > grace_s || since > longest_grace_s);
}

/* Drains the output of a process that died or must die, and finds out why it ended. */
static void conclude(wb_worker *w, const wb_sink *sink, wb_outcome *o, bool killed_by_us) {
    int status = reap(w, &o->peak);
    double until = wb_now() + last_words_s;
    while ((w->out.fd >= 0 || w->err.fd >= 0) && wb_now() < until) {
        struct pollfd fds[] = {{w->out.fd, POLLIN, 0}, {w->err.fd, POLLIN, 0}};
        poll(fds, 2, 20);
        pump(&w->out, sink);
        pump(&w->err, sink);
    }
    emit(&w->out, sink, "", 0, NOTHING);
    emit(&w->err, sink, "", 0, NOTHING);
    if (o->kind == WB_CRASHED || o->kind == WB_EXITED || o->kind == WB_STOPPED ||
        o->kind == WB_THREW)
        return;
    o->machine = wb_memory_machine();
    o->for_memory = wb_memory_kills() != w->kills;
    o->kind = killed_by_us || WIFSIGNALED(status) ? WB_KILLED : WB_EXITED;
    o->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    o->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

void wb_worker_run(wb_worker *w, const wb_job *job, const wb_sink *sink, wb_outcome *o) {
    *o = (wb_outcome){.kind = WB_KILLED, .finished = SIZE_MAX};
    double started = wb_now();
    bool broken = false, done = false;
    w->interrupted = false;
    w->running = true;
    w->kills = wb_memory_kills();
    w->out.names = w->err.names = job->names;
    if (job->stop && *job->stop) { /* before `running` was set, so the worker got no signal */
        w->running = false;
        *o = (wb_outcome){.kind = WB_STOPPED, .alive = true, .interrupted = true};
        return;
    }
    bool open = w->pid > 0 && wb_channel_send(w->control, request(job));
    while (open && !done && !broken && !overdue(w)) {
        open = wait_and_fill(w, sink);
        done = take_messages(w, sink, o, &broken);
    }
    o->run_s = wb_now() - started;
    pump_all(w, sink);
    if (done && job->program && !overdue(w)) {
        /* Destructors and atexit functions still run and print. The channel closes at their end. */
        while (open && !overdue(w))
            open = wait_and_fill(w, sink);
        if (o->kind == WB_RAN)
            o->kind = WB_EXITED;
    }
    w->running = false;
    o->interrupted = w->interrupted;
    if (!done || job->program)
        conclude(w, sink, o, open || broken);
    o->alive = o->alive && done && !job->program;
    if (!o->alive)
        reap(w, NULL);
}

void wb_outcome_free(wb_outcome *o) {
    WB_FREE(o->text, o->cuda_name);
    for (size_t i = 0; i < o->n_frames; i++)
        WB_FREE(o->frames[i].function, o->frames[i].file);
    free(o->frames);
    WB_JSON_FREE(o->value, o->report, o->guard);
    *o = (wb_outcome){0};
}
