/* loop.c: the two loops, the heartbeat, signals, and the end. */
#include "jupyter_kernel/server/loop.h"
#include "runtime/base/language.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter_kernel/server/dispatch.h"
#include "runtime/cli/cli.h"

/* How long a running cell gets to end when the kernel is shut down; then the process leaves, and
 * its children go with it. Jupyter's clients wait five seconds before they kill. */
static const int shutdown_grace_s = 3;

/* Bytes of a block, or of a message, whose memory goes back to the system once it is done with. */
enum { LARGE = 1 << 20 };

/* ---- the shell ---------------------------------------------------------------------------- */

/* Answers the message and frees it. */
static void serve(kernel *k, origin from, channel_message *m) {
    request r = {.kernel = k,
                 .from = from,
                 .channel = from == FROM_CONTROL ? k->control : k->shell,
                 .message = &m->wire,
                 .aborted = from == FROM_SHELL && m->number <= k->abort_until};
    if (from == FROM_SHELL && subshell_of(&m->wire))
        r.from = FROM_SUBSHELL;
    bool large = m->wire.size >= LARGE;
    dispatch(&r);
    channel_message_free(m);
    if (large)
        malloc_trim(0);
}

static bool wanted_by_subshell(const wire_message *m) {
    return subshell_of(m) != NULL;
}

/* Answers one request of a subshell; false when none waits, or the shell thread is not busy any
 * more. */
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
        if (info.ssi_signo == SIGINT) /* what clients without message mode send, and Ctrl-C */
            kernel_interrupt(k);
        else
            kernel_stop(k);
}

/* The client, if it is our parent and says so: no one else would end this kernel. */
static pid_t watched_client(void) {
    const char *text = getenv("JPY_PARENT_PID");
    pid_t client = text ? (pid_t)atoi(text) : 0;
    return client > 1 && client == getppid() ? client : 0;
}

static void leave_by_force(kernel *k) {
    struct pollfd done = {k->done_fd, POLLIN, 0};
    if (poll(&done, 1, shutdown_grace_s * 1000) > 0)
        return;
    fprintf(stderr, wb_tr("warpbook: the running cell did not end in %d s; leaving\n"),
            shutdown_grace_s);
    _exit(WB_EXIT_DONE); /* the worker dies with us (PR_SET_PDEATHSIG) */
}

/* Whatever may have come is looked at before each wait: a channel's descriptor tells it once. */
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
        struct pollfd fds[] = {
            {channel_fd(k->control), POLLIN, 0},
            {signals, POLLIN, 0},
            {k->wake_fd, POLLIN, 0},
            {busy ? channel_fd(k->shell) : k->busy_fd, POLLIN, 0},
        };
        if (!atomic_load(&k->stopping))
            poll(fds, WB_COUNT(fds), 1000);
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

/* A write beyond the limit of a file's size (ulimit -f) fails and is told as a full disk is. A
 * handler, since what is ignored stays ignored in the programs that are started. */
static void go_on(int signal) {
    (void)signal;
}

/* ---- start and end ------------------------------------------------------------------------ */

/* What is large is given back to the system when it is freed, not kept for the next one. */
static void keep_memory_small(void) {
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
}

int kernel_run(const char *connection_file, const kernel_parts *parts) {
    static kernel k;
    wb_error err = {0};
    sigset_t set;
    block_signals(&set); /* all threads take signals through control_loop's signalfd alone */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, go_on);
    keep_memory_small();
    pthread_t control, hb;
    pid_t client = watched_client(); /* who is answered may be gone before the next line */
    bool ok = kernel_open(&k, connection_file, parts, &err);
    k.client = client;
    ok = ok && (pthread_create(&control, NULL, control_loop, &k) == 0 ||
                wb_fail(&err, errno, "no control thread: %s", strerror(errno)));
    if (!ok) {
        fprintf(stderr, "warpbook kernel: %s\n", err.text);
        _exit(WB_EXIT_MACHINE); /* sockets may be half open: nothing to wait for */
    }
    bool beating = pthread_create(&hb, NULL, heartbeat, &k) == 0;
    iopub_status(k.iopub, (wire_span){0}, "starting");
    shell_loop(&k);
    kernel_stop(&k);
    kernel_done(&k);
    pthread_join(control, NULL);
    iopub_stop(k.iopub);
    zmq_ctx_shutdown(k.zmq); /* ends the heartbeat */
    if (beating)
        pthread_join(hb, NULL);
    kernel_close(&k);
    return WB_EXIT_DONE;
}
