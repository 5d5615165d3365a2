/* loop.c: the two loops, the heartbeat, signals, and the shutdown. */
#include "jupyter_kernel/server/loop.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter_kernel/server/dispatch.h"
#include "runtime/cli/cli.h"

/* Time for a running cell to end after a shutdown request. Then the process exits, and its children
 * die with it. Jupyter's clients wait five seconds before they kill it. */
static const int shutdown_grace_s = 3;

/* Memory blocks and messages of this many bytes are returned to the system after use. */
enum { LARGE = 1 << 20 };

/* ---- the shell ---------------------------------------------------------------------------- */

/* Answers the message and frees it, unless the handler keeps it. */
static void serve(kernel *k, origin from, channel_message *m) {
    request r = {.kernel = k,
                 .from = from,
                 .channel = from == FROM_CONTROL ? k->control : k->shell,
                 .message = &m->wire,
                 .whole = m,
                 .aborted = from == FROM_SHELL && m->number <= k->abort_until};
    if (from == FROM_SHELL && subshell_of(&m->wire))
        r.from = FROM_SUBSHELL;
    bool large = m->wire.size >= LARGE;
    dispatch(&r);
    if (!r.kept)
        channel_message_free(m);
    if (large)
        malloc_trim(0);
}

static bool wanted_by_subshell(const wire_message *m) {
    return subshell_of(m) != NULL;
}

/* Answers a subshell's request. False: there is none, or the shell thread is no longer busy. */
static bool stand_in_once(kernel *k) {
    channel_message *m = NULL;
    pthread_mutex_lock(&k->serving);
    if (atomic_load(&k->busy) && (m = channel_take(k->shell, wanted_by_subshell)))
        serve(k, FROM_SUBSHELL, m);
    pthread_mutex_unlock(&k->serving);
    return m != NULL;
}

static void shell_loop(kernel *k) {
    struct pollfd fds[] = {{channel_fd(k->shell), POLLIN, 0}, {k->wake_fd, POLLIN, 0}};
    while (!atomic_load(&k->stopping)) {
        channel_message *m = channel_take(k->shell, NULL);
        if (!m) {
            poll(fds, WB_COUNT(fds), -1);
            continue;
        }
        kernel_forget_interrupt(k);
        serve(k, FROM_SHELL, m);
        kernel_not_busy(k);
    }
}

/* ---- control ------------------------------------------------------------------------------ */

static void block_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, set, NULL);
}

static void take_signals(kernel *k, int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo == SIGINT) /* from clients without message mode, and Ctrl-C */
            kernel_interrupt(k);
        else
            kernel_stop(k);
}

/* Returns the client if it is our parent and says so in the environment, else 0. If it dies,
 * nothing else would end this kernel. */
static pid_t watched_client(void) {
    const char *text = getenv("JPY_PARENT_PID");
    pid_t client = text ? (pid_t)atoi(text) : 0;
    return client > 1 && client == getppid() ? client : 0;
}

static void leave_by_force(kernel *k) {
    struct pollfd done = {k->done_fd, POLLIN, 0};
    if (poll(&done, 1, shutdown_grace_s * 1000) > 0)
        return;
    fprintf(stderr, _("warpbook: the running cell did not end in %d s; leaving\n"),
            shutdown_grace_s);
    _exit(WB_EXIT_DONE); /* the worker dies with us (PR_SET_PDEATHSIG) */
}

/* Takes all messages before each wait, because a channel's descriptor is edge-triggered. */
static void *control_loop(void *argument) {
    kernel *k = argument;
    sigset_t set;
    block_signals(&set);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    while (!atomic_load(&k->stopping)) {
        for (channel_message *m; (m = channel_take(k->control, NULL));)
            serve(k, FROM_CONTROL, m);
        while (stand_in_once(k))
            ;
        bool busy = atomic_load(&k->busy);
        int debug[2];
        k->parts->debug_fds(k->parts->cells, debug);
        struct pollfd fds[] = {
            {channel_fd(k->control), POLLIN, 0},
            {signals, POLLIN, 0},
            {k->wake_fd, POLLIN, 0},
            {busy ? channel_fd(k->shell) : k->busy_fd, POLLIN, 0},
            {debug[0], POLLIN, 0},
            {debug[1], POLLIN, 0},
        };
        if (!atomic_load(&k->stopping) && poll(fds, WB_COUNT(fds), 1000) > 0 &&
            (fds[4].revents || fds[5].revents))
            k->parts->debug(k->parts->cells);
        if (k->client && getppid() != k->client)
            kernel_stop(k);
        take_signals(k, signals);
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

/* Makes a write beyond the file size limit (ulimit -f) fail, so that it is reported like a full
 * disk. SIG_IGN would not do: child processes would inherit it. */
static void go_on(int signal) {
    (void)signal;
}

/* ---- start and end ------------------------------------------------------------------------ */

/* Makes free() return large blocks to the system. */
static void keep_memory_small(void) {
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
}

int kernel_run(const char *connection_file, const kernel_parts *parts) {
    static kernel k;
    wb_error err = {0};
    sigset_t set;
    block_signals(&set); /* only control_loop's signalfd takes signals */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, go_on);
    keep_memory_small();
    pthread_t control, hb;
    pid_t client = watched_client(); /* first: the client may exit as soon as it has its answer */
    bool ok = kernel_open(&k, connection_file, parts, &err);
    k.client = client;
    ok = ok && (pthread_create(&control, NULL, control_loop, &k) == 0 ||
                wb_fail(&err, errno, _("no control thread: %s"), strerror(errno)));
    if (!ok) {
        fprintf(stderr, "warpbook kernel: %s\n", err.text);
        _exit(WB_EXIT_MACHINE); /* sockets may be half open, so do not clean up */
    }
    bool beating = pthread_create(&hb, NULL, heartbeat, &k) == 0;
    iopub_status(k.iopub, (wire_span){0}, "starting");
    shell_loop(&k);
    kernel_stop(&k);
    kernel_done(&k);
    pthread_join(control, NULL);
    parts->close(parts->cells); /* first: the debugger still sends its last messages */
    iopub_stop(k.iopub);
    zmq_ctx_shutdown(k.zmq); /* ends the heartbeat */
    if (beating)
        pthread_join(hb, NULL);
    kernel_close(&k);
    return WB_EXIT_DONE;
}
