/* clangd.c: see clangd.h. One thread owns the process and its pipes. A question leaves its messages
 * in a buffer, wakes the thread and waits for the answer with its number, for a short while. */
#include "jupyter_kernel/help/clangd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/device/clangd.h"
#include "runtime/device/toolkit.h"
#include "runtime/json/framed.h"

static const double idle_s = 300, patience_s = 60;
enum {
    MOST_BYTES = 350 << 20, /* resident memory */
    MOST_ENDS = 3,          /* after so many ends that it did not choose, no other is started */
    WATCH_MS = 250
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, asking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered;

static struct {
    bool ready;   /* the condition variable and the eventfd are made */
    bool running; /* the thread runs */
    bool missing; /* there is no clangd */
    int ends, wake;
    wb_buf out;  /* what the process has not read yet */
    char *where; /* working directory and flags that it was started with */
    json_t *answer;
    int version;       /* of the file */
    json_int_t asked;  /* number of the last question */
    double last, owed; /* when the last question came; since when an answer is owed, or 0 */
} server;

/* ---- the process ----------------------------------------------------------------------------- */

typedef struct process {
    pid_t pid;
    int to, from;
    wb_buf in;
} process;

static void close_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Runs in the child, where only async-signal-safe calls are allowed. */
static void become(const char *const *argv, int in, int out) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    dup2(in, 0);
    dup2(out, 1);
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 2);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static bool start(process *p, const char *program) {
    const char *const argv[] = {"/usr/bin/env",
                                "MALLOC_ARENA_MAX=1", /* one heap takes less */
                                program,
                                "--background-index=false",
                                "--pch-storage=memory",
                                "--enable-config=false",
                                "--clang-tidy=false",
                                "-j=2",
                                "--header-insertion=never",
                                "--limit-results=500",
                                "--log=error",
                                NULL};
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    bool piped = pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0;
    p->pid = piped ? fork() : -1;
    if (p->pid == 0)
        become(argv, to[0], from[1]);
    WB_CALL_EACH(close_fd, int, &to[0], &from[1]);
    p->to = to[1];
    p->from = from[0];
    if (p->pid > 0)
        return fcntl(p->to, F_SETFL, O_NONBLOCK) == 0 && fcntl(p->from, F_SETFL, O_NONBLOCK) == 0;
    return false;
}

static void end(process *p) {
    WB_CALL_EACH(close_fd, int, &p->to, &p->from);
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
    }
    wb_buf_free(&p->in);
}

static size_t resident(pid_t pid) {
    char path[64];
    size_t all, pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%zu %zu", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- messages -------------------------------------------------------------------------------- */

static json_t *request(json_int_t id, const char *method, json_t *params) {
    return json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method", method, "params",
                     params);
}

static json_t *notice(const char *method, json_t *params) {
    return json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
}

/* Returns the command that would compile the notebook, as clang spells it. */
static json_t *command(char *const *flags, const char *file) {
    static const char fixed[] = "clang++ -xcuda --cuda-host-only --cuda-gpu-arch=sm_90 -nocudalib "
                                "-Wno-unknown-cuda-version -std=c++17 -ferror-limit=0 -I.";
    WB_SCOPED_STRINGS wb_strings words = {0};
    wb_strings_words(&words, fixed);
    for (size_t i = 0; flags && flags[i]; i++)
        if (wb_begins(flags[i], "-I") || wb_begins(flags[i], "-D") || wb_begins(flags[i], "-std="))
            wb_strings_add(&words, flags[i]);
    wb_toolkit toolkit = {.version = 0};
    WB_SCOPED char *own = wb_path_share("include"), *shim = wb_path_share("clangd"),
                   *host = wb_path_lib("hostcc");
    if (wb_toolkit_find(&toolkit, NULL)) {
        const char *include = toolkit.include_dir;
        wb_strings_own(
            &words, wb_format("--cuda-path=%.*s", (int)(strrchr(include, '/') - include), include));
        wb_strings_own(&words, wb_format("-isystem%s/cccl", include)); /* nvcc adds it, too */
    }
    if (*toolkit.host_compiler) { /* a wheel's */
        wb_strings_own(&words, wb_format("--gcc-toolchain=%s", host));
        wb_strings_own(&words, wb_format("--sysroot=%s/sysroot", host));
    }
    wb_strings_own(&words, wb_format("-I%s", own));
    wb_strings_own(&words, wb_format("-I%s", shim));
    wb_strings_add(&words, file);
    json_t *list = json_array();
    for (size_t i = 0; i < words.n; i++)
        json_array_append_new(list, json_string(words.v[i]));
    return list;
}

/* Returns the path of the file that only clangd knows. It is in a folder without other files, so
 * that no setting of a project counts. */
static char *file_path(void) {
    return wb_path_share("clangd/notebook.cu");
}

static void greet(const char *folder, char *const *flags) {
    WB_SCOPED char *path = file_path();
    json_t *changes = json_object();
    json_object_set_new(changes, path ? path : "",
                        json_pack("{s:s, s:o}", "workingDirectory", folder, "compilationCommand",
                                  command(flags, path ? path : "")));
    json_t *can =
        json_pack("{s:{s:{s:{s:b}}, s:{s:[s]}, s:{s:{s:[s]}}}}", "textDocument", "completion",
                  "completionItem", "snippetSupport", 0, "hover", "contentFormat", "markdown",
                  "signatureHelp", "signatureInformation", "documentationFormat", "plaintext");
    wb_framed_write(&server.out,
                    request(0, "initialize",
                            json_pack("{s:i, s:n, s:o, s:{s:o}}", "processId", (int)getpid(),
                                      "rootUri", "capabilities", can, "initializationOptions",
                                      "compilationDatabaseChanges", changes)));
    wb_framed_write(&server.out, notice("initialized", json_object()));
}

static void send_file(const char *uri, const wb_buf *file) {
    server.version++;
    if (server.version == 1)
        wb_framed_write(&server.out, notice("textDocument/didOpen",
                                            json_pack("{s:{s:s, s:s, s:i, s:s%}}", "textDocument",
                                                      "uri", uri, "languageId", "cuda", "version",
                                                      1, "text", file->data, file->len)));
    else
        wb_framed_write(&server.out,
                        notice("textDocument/didChange",
                               json_pack("{s:{s:s, s:i}, s:[{s:s%}], s:b}", "textDocument", "uri",
                                         uri, "version", server.version, "contentChanges", "text",
                                         file->data, file->len, "wantDiagnostics", 0)));
}

/* Returns the protocol's position: a line, and UTF-16 units in it. */
static json_t *position(const wb_buf *file, size_t at) {
    int line = 0, units = 0;
    for (size_t i = 0; i < at && i < file->len; i++) {
        unsigned char c = (unsigned char)file->data[i];
        line += c == '\n';
        units = c == '\n' ? 0 : units + (c < 0x80 || c >= 0xc0) + (c >= 0xf0);
    }
    return json_pack("{s:i, s:i}", "line", line, "character", units);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Takes the messages that have arrived. Returns false if they are none. */
static bool take(process *p) {
    json_t *message = NULL;
    wb_framed found;
    while ((found = wb_framed_read(&p->in, &message)) == WB_FRAMED_MESSAGE) {
        const json_t *id = json_object_get(message, "id");
        if (!json_object_get(message, "method") && json_is_integer(id) &&
            json_integer_value(id) == server.asked) {
            json_decref(server.answer);
            server.answer = json_incref(json_object_get(message, "result"));
            server.ends = server.answer ? 0 : server.ends;
            server.owed = 0;
            pthread_cond_broadcast(&answered);
        }
        json_decref(message);
    }
    return found == WB_FRAMED_NOTHING;
}

/* Moves what can be moved through the pipes. Returns false when the process is to end: *own, by our
 * decision and not by its fault. */
static bool serve(process *p, bool *own) {
    char piece[65536];
    ssize_t n;
    while ((n = read(p->from, piece, sizeof piece)) > 0)
        wb_buf_append(&p->in, piece, (size_t)n);
    bool open = n < 0 && errno == EAGAIN && !p->in.failed;
    while (server.out.len && (n = write(p->to, server.out.data, server.out.len)) > 0)
        wb_buf_consume(&server.out, (size_t)n);
    open &= server.out.len == 0 || errno == EAGAIN;
    double now = wb_now(), limit = wb_setting_seconds("WARPBOOK_TEST_CLANGD_SECONDS", 0);
    *own = now - server.last > (limit > 0 ? limit : idle_s) || !server.where;
    bool hangs = server.owed > 0 && now - server.owed > (limit > 0 ? limit : patience_s);
    return open && take(p) && !*own && !hangs && resident(p->pid) <= MOST_BYTES;
}

static void *run(void *none) {
    (void)none;
    process p = {.pid = -1, .to = -1, .from = -1};
    int version;
    WB_SCOPED char *program = wb_clangd_find(&version);
    bool started = program && start(&p, program), own = false;
    pthread_mutex_lock(&lock);
    server.missing = !program;
    while (started && serve(&p, &own)) {
        short writes = server.out.len ? POLLOUT : 0;
        pthread_mutex_unlock(&lock);
        struct pollfd fds[] = {{.fd = p.from, .events = POLLIN},
                               {.fd = server.wake, .events = POLLIN},
                               {.fd = p.to, .events = writes}};
        uint64_t woken;
        if (poll(fds, WB_COUNT(fds), WATCH_MS) > 0 && fds[1].revents)
            (void)!read(server.wake, &woken, sizeof woken);
        pthread_mutex_lock(&lock);
    }
    end(&p);
    wb_buf_free(&server.out);
    free(server.where);
    server.where = NULL;
    server.running = false;
    server.ends += !own;
    pthread_cond_broadcast(&answered);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* ---- questions ------------------------------------------------------------------------------- */

static void prepare(void) {
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&answered, &clock);
    pthread_condattr_destroy(&clock);
    server.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    server.ready = server.wake >= 0;
}

/* Makes sure that the process runs in this folder and with these flags. */
static bool ensure(char *const *flags) {
    WB_SCOPED_BUF wb_buf where = {0};
    WB_SCOPED char *folder = getcwd(NULL, 0);
    wb_buf_puts(&where, folder ? folder : "/");
    for (size_t i = 0; flags && flags[i]; i++)
        wb_buf_printf(&where, " %s", flags[i]);
    bool same =
        server.running && server.where && where.data && strcmp(server.where, where.data) == 0;
    if (server.running && !same) { /* the thread ends it; the next question starts another */
        free(server.where);
        server.where = NULL;
    }
    pthread_t thread;
    if (!server.running && !server.missing && server.ends < MOST_ENDS) {
        server.where = wb_buf_steal(&where);
        server.version = 0;
        server.owed = 0;
        server.last = wb_now();
        greet(folder ? folder : "/", flags);
        server.running = same = pthread_create(&thread, NULL, run, NULL) == 0;
        if (same)
            pthread_detach(thread);
    }
    return same;
}

/* Waits until the process owes no answer. Returns false if that takes too long, or if it ends. */
static bool is_free(double until_s) {
    struct timespec until = {.tv_sec = (time_t)until_s};
    until.tv_nsec = (long)((until_s - (double)until.tv_sec) * 1e9);
    int late = 0;
    while (server.owed > 0 && server.running && !late)
        late = pthread_cond_timedwait(&answered, &lock, &until);
    return server.owed <= 0 && server.running;
}

json_t *clangd_ask(const char *method, const wb_buf *file, size_t at, char *const *flags,
                   double until) {
    WB_SCOPED char *path = file_path(), *uri = path ? wb_format("file://%s", path) : NULL;
    json_t *answer = NULL;
    pthread_mutex_lock(&asking);
    pthread_mutex_lock(&lock);
    if (!server.ready)
        prepare();
    /* A slow one is not asked again before it has answered: questions would pile up. */
    if (uri && server.ready && file->data && ensure(flags) && is_free(until)) {
        json_decref(server.answer); /* it came too late */
        server.answer = NULL;
        server.asked++;
        server.last = server.owed = wb_now();
        send_file(uri, file);
        wb_framed_write(&server.out, request(server.asked, method,
                                             json_pack("{s:{s:s}, s:o}", "textDocument", "uri", uri,
                                                       "position", position(file, at))));
        (void)!write(server.wake, &(uint64_t){1}, sizeof(uint64_t));
        if (is_free(until))
            answer = server.answer;
        else
            wb_framed_write(&server.out,
                            notice("$/cancelRequest", json_pack("{s:I}", "id", server.asked)));
        server.answer = NULL;
    }
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&asking);
    return answer;
}
