/* talk.c: messages between the process and the session, over their socket. */
#include "runtime/worker/process/process.h"
#include "runtime/json/json.h"
#include "runtime/worker/process/cell_api.h"
#include "runtime/worker/shared/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int control = -1;
static wb_buf received;
static pid_t self; /* a forked child must not send */
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

void talk_open(int fd) {
    control = fd;
    self = getpid();
    fcntl(control, F_SETFD, FD_CLOEXEC);
}

bool talk_ours(void) {
    return getpid() == self;
}

void talk_send(json_t *message) {
    if (!talk_ours()) {
        json_decref(message);
        return;
    }
    const char *op = wb_field_string(message, "op");
    json_t *instead = wb_json_pack("{s:s, s:s}", "op", "unsaid", "of", op ? op : "");
    pthread_mutex_lock(&sending);
    bool sent = wb_channel_send(control, message) ||
                (errno == EMSGSIZE && wb_channel_send(control, json_incref(instead)));
    pthread_mutex_unlock(&sending);
    json_decref(instead);
    if (!sent)
        _exit(0); /* the session has ended */
}

__attribute__((visibility("default"))) void wb_cell_value(const char *mime, const char *data,
                                                          size_t len) {
    talk_send(wb_json_pack("{s:s, s:s, s:s%}", "op", "value", "mime", mime, "data", data, len));
}

static json_t *parse_or_null(const char *text) {
    return text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
}

/* Parses a cell's JSON. Shows other text as it is. */
static json_t *bundle(const char *text) {
    json_t *data = parse_or_null(text);
    if (json_is_object(data))
        return data;
    json_decref(data);
    return wb_json_pack("{s:s}", "text/plain", text ? text : "");
}

json_t *talk_answer(const char *want) {
    for (;;) {
        json_t *answer = wb_channel_receive(control, &received, &interrupt_came);
        if (interrupt_came) {
            json_decref(answer);
            interrupt_jump();
        }
        const char *op = wb_field_string(answer, "op");
        if (!answer || (op && strcmp(op, want) == 0))
            return answer;
        json_decref(answer);
    }
}

/* Sends a display and waits until the session has taken it, because stdout is another channel and
 * later output must not overtake it. Only the main thread waits. */
static void show(json_t *message) {
    talk_send(message);
    if (talk_ours() && (pid_t)syscall(SYS_gettid) == self)
        json_decref(talk_answer("shown"));
}

__attribute__((visibility("default"))) void wb_cell_display(const char *bundle_json,
                                                            const char *metadata_json,
                                                            const char *display_id, int update) {
    output_flush();
    show(wb_json_pack("{s:s, s:o, s:o*, s:s*, s:b}", "op", "display", "data", bundle(bundle_json),
                      "metadata", parse_or_null(metadata_json), "display_id", display_id, "update",
                      update));
}

__attribute__((visibility("default"))) void wb_cell_clear(int wait) {
    output_flush();
    show(json_pack("{s:s, s:b}", "op", "clear", "wait", wait));
}

json_t *talk_next(void) {
    return wb_channel_receive(control, &received, NULL);
}
