/* kernel.c: starts and ends the kernel process; the shell and the control loop. */
#include "jupyter_kernel/server/kernel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter_kernel/protocol/peers.h"
#include "runtime/cli/cli.h"

/* How long a running cell gets to end when the kernel is shut down; then the process leaves, and
 * its children go with it. Jupyter's clients wait five seconds before they kill. */
static const double shutdown_grace_s = 3.0;

/* ---- flags that a poll can see ------------------------------------------------------------ */

static void raise_fd(int fd) {
    uint64_t one = 1;
    ssize_t ignored = write(fd, &one, sizeof one);
    (void)ignored;
}

static void lower_fd(int fd) {
    uint64_t count;
    ssize_t ignored = read(fd, &count, sizeof count);
    (void)ignored;
}

static bool raised(int fd, double wait_s) {
    zmq_pollitem_t item = {NULL, fd, ZMQ_POLLIN, 0};
    return zmq_poll(&item, 1, (long)(wait_s * 1e3)) > 0;
}

bool kernel_interrupted(kernel *k) {
    return k->interrupted;
}

/* An interrupt that came between cells is over. */
static void forget_interrupt(kernel *k) {
    if (!k->interrupted)
        return;
    lower_fd(k->interrupt_fd);
    k->interrupted = 0;
}

void kernel_interrupt(kernel *k) {
    wb_session *session = live_peek(&k->live);
    if (session)
        wb_session_interrupt(session);
    k->interrupted = 1;
    raise_fd(k->interrupt_fd); /* last: who wakes by it finds the session interrupted */
}

void kernel_stop(kernel *k) {
    if (atomic_exchange(&k->stopping, true))
        return;
    kernel_interrupt(k);
    raise_fd(k->wake_fd);
    if (k->shell.router)
        router_wake(k->shell.router);
}

void kernel_busy(kernel *k) {
    iopub_flush(k->iopub); /* "busy" and the input */
    if (k->shell.router && !atomic_exchange(&k->busy, true))
        raise_fd(k->busy_fd);
}

/* ---- receiving ---------------------------------------------------------------------------- */

static bool is_replay(kernel *k, const wire_message *m) {
    if (!wire_key_signs(k->key))
        return false;
    pthread_mutex_lock(&k->guard_lock);
    bool fresh = wire_guard_admit(k->guard, m->signature);
    pthread_mutex_unlock(&k->guard_lock);
    return !fresh;
}

/* Checks and takes apart what came; false when it was refused. */
static bool admit(kernel *k, message_frames *f, const char *channel, wire_message *message) {
    wb_error err = {0};
    bool ok = wire_parse(k->key, f->frames, f->n, message, &err) == WIRE_OK;
    message_frames_free(f);
    if (ok && is_replay(k, message)) {
        wb_fail(&err, 1, "it came before (a replay)");
        wire_message_free(message);
        ok = false;
    }
    if (!ok)
        fprintf(stderr, "warpbook: refused a message on %s: %s\n", channel, err.text);
    return ok;
}

bool kernel_receive(kernel *k, message_port from, const char *channel, int flags,
                    wire_message *message) {
    message_frames f;
    return message_receive(from, flags, &f) && admit(k, &f, channel, message);
}

/* ---- the loops ---------------------------------------------------------------------------- */

/* The shell thread takes messages again. The control thread is through with what it had taken:
 * requests of a subshell are answered in their order. */
static void not_busy(kernel *k) {
    if (!atomic_load(&k->busy))
        return;
    pthread_mutex_lock(&k->subshells.serving);
    atomic_store(&k->busy, false);
    pthread_mutex_unlock(&k->subshells.serving);
}

static void serve(kernel *k, message_port port, origin from, bool abort) {
    request r = {.kernel = k, .from = from, .port = port};
    const char *channel = from == FROM_SHELL ? "shell" : "control";
    if (!kernel_receive(k, port, channel, ZMQ_DONTWAIT, &r.message))
        return;
    if (from == FROM_SHELL && subshell_of(&r.message))
        r.from = FROM_SUBSHELL;
    handle(&r, abort);
    wire_message_free(&r.message);
    if (from == FROM_SHELL)
        not_busy(k);
}

/* Answers one request of a subshell; false when none waits, or the shell thread is not busy any
 * more. */
static bool stand_in_once(kernel *k) {
    request r = {.kernel = k, .from = FROM_SUBSHELL, .port = k->shell};
    router_message *taken = NULL;
    message_frames f;
    pthread_mutex_lock(&k->subshells.serving);
    if (atomic_load(&k->busy))
        taken = router_take_wanted(k->shell.router, subshell_wants);
    if (taken) {
        message_of(taken, &f);
        if (admit(k, &f, "shell", &r.message)) {
            handle(&r, false);
            wire_message_free(&r.message);
        }
    }
    pthread_mutex_unlock(&k->subshells.serving);
    return taken != NULL;
}

/* The shell thread is busy: its connections are looked after, and its subshells answered. */
static void stand_in(kernel *k) {
    router_attend(k->shell.router);
    while (stand_in_once(k))
        ;
}

/* Whether there is a message on the shell channel now. */
static bool readable(const message_port *shell) {
    if (shell->router)
        return router_has(shell->router);
    int events = 0;
    size_t size = sizeof events;
    return zmq_getsockopt(shell->zmq, ZMQ_EVENTS, &events, &size) == 0 && (events & ZMQ_POLLIN);
}

size_t kernel_queued(kernel *k) {
    return k->shell.router ? router_queued(k->shell.router) : SIZE_MAX;
}

void kernel_abort_queued(kernel *k, size_t queued) {
    not_busy(k);
    for (; queued > 0 && !atomic_load(&k->stopping) && readable(&k->shell); queued--)
        serve(k, k->shell, FROM_SHELL, true);
}

static void wait_for_shell(kernel *k) {
    zmq_pollitem_t items[] = {{k->shell.zmq, 0, ZMQ_POLLIN, 0}, {NULL, k->wake_fd, ZMQ_POLLIN, 0}};
    if (k->shell.router)
        router_wait(k->shell.router);
    else
        zmq_poll(items, 2, -1);
}

static void shell_loop(kernel *k) {
    while (!atomic_load(&k->stopping)) {
        if (readable(&k->shell)) {
            forget_interrupt(k);
            serve(k, k->shell, FROM_SHELL, false);
        } else {
            wait_for_shell(k);
        }
    }
}

static void take_signal(kernel *k, int signals) {
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (info.ssi_signo == SIGINT) /* what clients without message mode send, and Ctrl-C */
        kernel_interrupt(k);
    else
        kernel_stop(k);
}

/* Our client, when it is our parent and says so: once it is gone nobody ends this kernel any more.
 */
static pid_t watched_client(void) {
    const char *text = getenv("JPY_PARENT_PID");
    pid_t client = text ? (pid_t)atoi(text) : 0;
    return client > 1 && client == getppid() ? client : 0;
}

static void leave_by_force(kernel *k) {
    if (raised(k->done_fd, shutdown_grace_s))
        return;
    fprintf(stderr, "warpbook: the running cell did not end in %.0f s; leaving\n",
            shutdown_grace_s);
    _exit(WB_EXIT_DONE); /* the worker dies with us (PR_SET_PDEATHSIG) */
}

static void *control_loop(void *argument) {
    kernel *k = argument;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t client = watched_client();
    int shell = k->shell.router ? router_fd(k->shell.router) : -1;
    while (!atomic_load(&k->stopping)) {
        zmq_pollitem_t items[] = {{k->control, 0, ZMQ_POLLIN, 0},
                                  {NULL, signals, ZMQ_POLLIN, 0},
                                  {NULL, k->wake_fd, ZMQ_POLLIN, 0},
                                  {NULL, k->busy_fd, ZMQ_POLLIN, 0},
                                  {NULL, shell, ZMQ_POLLIN, 0}};
        int n = zmq_poll(items, atomic_load(&k->busy) ? 5 : 4, 1000);
        if (n < 0 && zmq_errno() != EINTR)
            break;
        if (client && getppid() != client)
            kernel_stop(k);
        if (items[1].revents & ZMQ_POLLIN)
            take_signal(k, signals);
        if (items[0].revents & ZMQ_POLLIN)
            serve(k, (message_port){.zmq = k->control}, FROM_CONTROL, false);
        if (items[3].revents & ZMQ_POLLIN)
            lower_fd(k->busy_fd);
        if ((items[3].revents | items[4].revents) & ZMQ_POLLIN)
            stand_in(k);
    }
    close(signals);
    leave_by_force(k);
    return NULL;
}

static void *heartbeat(void *argument) {
    kernel *k = argument;
    zmq_proxy(k->hb, k->hb, NULL); /* echoes until the context ends */
    zmq_close(k->hb);
    return NULL;
}

/* ---- start and end ------------------------------------------------------------------------ */

static bool open_sockets(kernel *k, wb_error *err) {
    const connection *c = &k->connection;
    int yes = 1; /* to ask a client that is not there fails */
    if (peers_suit(c))
        k->shell.router = router_open(c, c->shell, err);
    else
        k->shell.zmq = connection_bind(c, k->zmq, ZMQ_ROUTER, c->shell, err);
    return (k->shell.router || k->shell.zmq) &&
           (k->control = connection_bind(c, k->zmq, ZMQ_ROUTER, c->control, err)) &&
           (k->stdin_ = connection_bind(c, k->zmq, ZMQ_ROUTER, c->stdin_, err)) &&
           (zmq_setsockopt(k->stdin_, ZMQ_ROUTER_MANDATORY, &yes, sizeof yes) == 0 ||
            wb_fail(err, 1, "stdin: %s", zmq_strerror(zmq_errno()))) &&
           (k->hb = connection_bind(c, k->zmq, ZMQ_ROUTER, c->hb, err)) &&
           (k->iopub = iopub_start(c, k->zmq, &k->author, err));
}

static bool open_kernel(kernel *k, const char *connection_file, wb_error *err) {
    k->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    k->interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    k->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    k->busy_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    k->guard = wire_guard_new(WIRE_GUARD_DEFAULT);
    k->zmq = zmq_ctx_new();
    pthread_mutex_init(&k->guard_lock, NULL);
    live_init(&k->live);
    subshells_init(&k->subshells);
    if (!k->guard || !k->zmq || k->wake_fd < 0 || k->interrupt_fd < 0 || k->done_fd < 0 ||
        k->busy_fd < 0)
        return wb_fail(err, errno, "the kernel can't start: %s", strerror(errno));
    return connection_load(connection_file, &k->connection, err) &&
           (k->key = wire_key_new(k->connection.scheme, k->connection.key, err)) &&
           message_author_init(&k->author, k->key, err) && open_sockets(k, err);
}

static void close_socket(void *socket) {
    if (socket)
        zmq_close(socket);
}

static void close_kernel(kernel *k) {
    router_close(k->shell.router);
    close_socket(k->shell.zmq);
    close_socket(k->control);
    close_socket(k->stdin_);
    if (k->zmq)
        zmq_ctx_term(k->zmq); /* waits until what was sent has left, a second at most */
    live_close(&k->live);
    subshells_free(&k->subshells);
    history_close(k->history);
    wire_guard_free(k->guard);
    wire_key_free(k->key);
    pthread_mutex_destroy(&k->guard_lock);
    close(k->wake_fd);
    close(k->interrupt_fd);
    close(k->done_fd);
    close(k->busy_fd);
}

/* All threads take signals through control_loop's signalfd alone. */
static void block_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int kernel_run(const char *connection_file) {
    static kernel k;
    wb_error err = {0};
    block_signals();
    pthread_t control, hb;
    bool ok = open_kernel(&k, connection_file, &err) &&
              (pthread_create(&control, NULL, control_loop, &k) == 0 ||
               wb_fail(&err, errno, "no control thread: %s", strerror(errno)));
    if (!ok) {
        fprintf(stderr, "warpbook kernel: %s\n", err.text);
        _exit(WB_EXIT_MACHINE); /* sockets may be half open: nothing to wait for */
    }
    bool beating = pthread_create(&hb, NULL, heartbeat, &k) == 0;
    iopub_status(k.iopub, (wire_span){0}, "starting");
    shell_loop(&k);
    kernel_stop(&k);
    raise_fd(k.done_fd);
    pthread_join(control, NULL);
    iopub_stop(k.iopub);
    zmq_ctx_shutdown(k.zmq); /* ends the heartbeat */
    if (beating)
        pthread_join(hb, NULL);
    close_kernel(&k);
    return WB_EXIT_DONE;
}
