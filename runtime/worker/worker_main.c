/* worker_main.c: the process that loads and runs cells. It is started by the session with a socket
 * (--fd N) and does what the messages there say (worker.c sends them) until the socket closes.
 *
 * It is C and loads no C++ library of its own, so that stdin can be replaced before std::cin looks
 * at it, and it knows the device only through libcudart.so.13, as any CUDA program does. */
#include "runtime/worker/process.h"
#include "runtime/json/json.h"
#include "runtime/worker/channel.h"
#include "runtime/worker/cell_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int control = -1;
static wb_buf received;
static pid_t self; /* a child that a cell forked must not speak for us */
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

int process_fd(void) {
    return control;
}

void process_send(json_t *message) {
    if (getpid() != self) {
        json_decref(message);
        return;
    }
    const char *op = json_string_value(json_object_get(message, "op"));
    json_t *instead = wb_json_pack("{s:s, s:s}", "op", "unsaid", "of", op ? op : "");
    pthread_mutex_lock(&sending);
    bool sent = wb_channel_send(control, message) ||
                (errno == EMSGSIZE && wb_channel_send(control, json_incref(instead)));
    pthread_mutex_unlock(&sending);
    json_decref(instead);
    if (!sent)
        _exit(0); /* nobody is left to run cells for */
}

void process_flush(void) {
    fflush(NULL);
}

__attribute__((visibility("default"))) void wb_cell_value(const char *mime, const char *data,
                                                          size_t len) {
    process_send(wb_json_pack("{s:s, s:s, s:s%}", "op", "value", "mime", mime, "data", data, len));
}

static json_t *parse_or_null(const char *text) {
    return text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
}

/* What a cell gives as JSON and is none is shown as it stands. */
static json_t *bundle(const char *text) {
    json_t *data = parse_or_null(text);
    if (json_is_object(data))
        return data;
    json_decref(data);
    return wb_json_pack("{s:s}", "text/plain", text ? text : "");
}

json_t *process_answer(const char *want) {
    for (;;) {
        json_t *answer = wb_channel_receive(control, &received, &interrupt_came);
        if (interrupt_came) {
            json_decref(answer);
            interrupt_jump();
        }
        const char *op = json_string_value(json_object_get(answer, "op"));
        if (!answer || (op && strcmp(op, want) == 0))
            return answer;
        json_decref(answer);
    }
}

/* What the cell prints next must not overtake what it shows now: stdout is another channel, so the
 * session says when it has taken the message. Other threads than the main one do not wait. */
static void show(json_t *message) {
    process_send(message);
    if (getpid() == self && (pid_t)syscall(SYS_gettid) == self)
        json_decref(process_answer("shown"));
}

__attribute__((visibility("default"))) void wb_cell_display(const char *bundle_json,
                                                            const char *metadata_json,
                                                            const char *display_id, int update) {
    process_flush();
    show(wb_json_pack("{s:s, s:o, s:o*, s:s*, s:b}", "op", "display", "data", bundle(bundle_json),
                      "metadata", parse_or_null(metadata_json), "display_id", display_id, "update",
                      update));
}

__attribute__((visibility("default"))) void wb_cell_clear(int wait) {
    process_flush();
    show(json_pack("{s:s, s:b}", "op", "clear", "wait", wait));
}

static void on_process_exit(int status, void *unused) {
    (void)unused;
    if (getpid() == self)
        job_exiting(status);
}

int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "--fd") != 0) {
        fprintf(stderr, "warpbook-worker: started by `warpbook kernel`, not by hand\n");
        return 2;
    }
    control = atoi(argv[2]);
    self = getpid();
    fcntl(control, F_SETFD, FD_CLOEXEC);
    /* The worker is what should go when memory runs out, not the kernel with the user's work. */
    FILE *score = fopen("/proc/self/oom_score_adj", "w");
    if (score) {
        fputs("1000", score);
        fclose(score);
    }
    memory_open();
    output_open();
    stdin_open();
    signals_open();
    interrupt_open();
    on_exit(on_process_exit, NULL);
    process_send(json_pack("{s:s}", "op", "ready"));
    json_t *request;
    while ((request = wb_channel_receive(control, &received, NULL))) {
        const char *op = json_string_value(json_object_get(request, "op"));
        if (op && strcmp(op, "run") == 0)
            job_run(request);
        json_decref(request); /* anything else is a late answer to a call that was interrupted */
    }
    _exit(0);
}
