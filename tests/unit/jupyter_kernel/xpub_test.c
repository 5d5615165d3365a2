/* xpub_test.c: the set of topics, and an XPUB with subscribers over bare TCP: who gets what, who
 * misses what, who is thrown out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jupyter_kernel/protocol/topics.h"
#include "jupyter_kernel/protocol/xpub.h"
#include "jupyter_kernel/protocol/zmtp.h"

static wire_span span(const char *text) {
    return (wire_span){text, strlen(text)};
}

/* ---- topics ------------------------------------------------------------------------------- */

static void a_set_of_topics(void **state) {
    (void)state;
    wb_buf set = {0};
    assert_false(topics_want(&set, span("kernel.x.status")));
    assert_true(topics_add(&set, span("kernel.x")));
    assert_true(topics_add(&set, span("other")));
    assert_true(topics_add(&set, span("kernel.x")));
    assert_true(topics_want(&set, span("kernel.x.status")));
    assert_true(topics_want(&set, span("kernel.x")));
    assert_false(topics_want(&set, span("kernel.")));
    topics_remove(&set, span("kernel")); /* is not one of them */
    topics_remove(&set, span("kernel.x"));
    assert_false(topics_want(&set, span("kernel.x.status")));
    assert_true(topics_want(&set, span("others")));
    assert_true(topics_add(&set, span("")));
    assert_true(topics_want(&set, span("")));
    assert_true(topics_want(&set, span("anything")));
    topics_remove(&set, span(""));
    assert_false(topics_want(&set, span("anything")));
    topics_remove(&set, span("other"));
    assert_int_equal(set.len, 0);
    wb_buf_free(&set);
}

static void a_set_has_an_end(void **state) {
    (void)state;
    wb_buf set = {0};
    static char name[TOPICS_MAX_BYTES];
    assert_false(topics_add(&set, (wire_span){name, sizeof name}));
    assert_true(topics_add(&set, (wire_span){name, sizeof name - 4}));
    assert_true(topics_add(&set, (wire_span){name, sizeof name - 4}));
    assert_false(topics_add(&set, span("")));
    assert_int_equal(set.len, TOPICS_MAX_BYTES);
    wb_buf_free(&set);
}

/* ---- subscribers -------------------------------------------------------------------------- */

typedef struct fixture {
    xpub *x;
    int port;
    char subscribed[64]; /* what the owner was told last */
    int n_subscribed;
} fixture;

static void note(void *ctx, wire_span topic) {
    fixture *f = ctx;
    snprintf(f->subscribed, sizeof f->subscribed, "%.*s", (int)topic.len, topic.data);
    f->n_subscribed++;
}

static int free_port(void) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    wb_error err = {0};
    connection c = {.transport = "tcp", .ip = "127.0.0.1"};
    f->port = free_port();
    f->x = xpub_open(&c, f->port, &(xpub_options){1 << 20, note, f}, &err);
    *state = f;
    return f->x ? 0 : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    xpub_close(f->x);
    free(f);
    return 0;
}

/* Attends as long as something comes, and a little longer. */
static void attend(fixture *f) {
    struct pollfd item = {xpub_fd(f->x), POLLIN, 0};
    while (poll(&item, 1, 20) > 0)
        xpub_attend(f->x);
}

static void write_all(int fd, const wb_buf *b) {
    assert_int_equal(send(fd, b->data, b->len, MSG_NOSIGNAL), b->len);
}

/* A connection that has said `socket_type` and nothing more. */
static int connect_as(fixture *f, const char *socket_type, int receive_buffer) {
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)f->port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (receive_buffer)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    wb_buf b = {0};
    zmtp_put_greeting(&b);
    zmtp_put_ready(&b, socket_type);
    write_all(fd, &b);
    wb_buf_free(&b);
    attend(f);
    return fd;
}

static void say(fixture *f, int fd, unsigned flags, const char *body, size_t len) {
    wb_buf b = {0};
    zmtp_put_frame(&b, flags, (wire_span){body, len});
    write_all(fd, &b);
    wb_buf_free(&b);
    attend(f);
}

static int subscriber(fixture *f, const char *wish, size_t len) {
    int fd = connect_as(f, "SUB", 0);
    say(f, fd, 0, wish, len);
    char head[ZMTP_GREETING_SIZE + 28];
    assert_int_equal(recv(fd, head, sizeof head, MSG_WAITALL), sizeof head);
    assert_memory_equal(head + sizeof head - 5, "\4XPUB", 5);
    return fd;
}

static void publish(fixture *f, const char *topic, const char *text, size_t len) {
    const wire_span frames[] = {span(topic), {text, len}};
    assert_true(xpub_send(f->x, frames, 2));
    xpub_flush(f->x);
}

/* What has come, up to `size` bytes. */
static size_t come(int fd, char *out, size_t size) {
    ssize_t n = recv(fd, out, size, MSG_DONTWAIT);
    return n > 0 ? (size_t)n : 0;
}

/* What comes, up to `size` bytes, until a fifth of a second brings nothing. */
static size_t all_of(fixture *f, int fd, char *out, size_t size) {
    struct pollfd items[] = {{xpub_fd(f->x), POLLIN, 0}, {fd, POLLIN, 0}};
    size_t len = 0;
    while (len < size && poll(items, WB_COUNT(items), 200) > 0) {
        if (items[0].revents)
            xpub_attend(f->x);
        len += come(fd, out + len, size - len);
    }
    return len;
}

static void expect(int fd, const char *bytes, size_t len) {
    char got[256];
    assert_int_equal(come(fd, got, sizeof got), len);
    assert_memory_equal(got, bytes, len);
}

static void nothing_to(int fd) {
    char got[16];
    assert_int_equal(recv(fd, got, sizeof got, MSG_DONTWAIT), -1);
}

static void ended(int fd) {
    char rest[256];
    ssize_t n;
    while ((n = recv(fd, rest, sizeof rest, MSG_DONTWAIT)) > 0)
        ;
    assert_true(n == 0 || errno == ECONNRESET);
}

static void by_topic(void **state) {
    fixture *f = *state;
    int all = subscriber(f, "\1", 1), some = subscriber(f, "\1status", 7);
    int none = connect_as(f, "SUB", 0);
    assert_int_equal(f->n_subscribed, 2);
    assert_string_equal(f->subscribed, "status");
    publish(f, "stream", "a", 1);
    publish(f, "status", "b", 1);
    expect(all, "\1\6stream\0\1a\1\6status\0\1b", 22);
    expect(some, "\1\6status\0\1b", 11);
    char head[ZMTP_GREETING_SIZE + 28];
    assert_int_equal(come(none, head, sizeof head), sizeof head);
    nothing_to(none);
    say(f, some, 0, "\0status", 7);
    say(f, all, ZMTP_COMMAND, "\6CANCEL", 7);
    say(f, none, ZMTP_COMMAND, "\11SUBSCRIBEst", 12);
    assert_string_equal(f->subscribed, "st");
    publish(f, "status", "c", 1);
    nothing_to(all);
    nothing_to(some);
    expect(none, "\1\6status\0\1c", 11);
    close(all); /* it went: nothing is sent to it, and its place is free */
    attend(f);
    publish(f, "status", "d", 1);
    expect(none, "\1\6status\0\1d", 11);
    close(some);
    close(none);
}

static void two_leave_as_one_write(void **state) {
    fixture *f = *state;
    int fd = subscriber(f, "\1", 1);
    const wire_span frame[] = {{"x", 1}};
    xpub_send(f->x, frame, 1);
    xpub_send(f->x, frame, 1);
    nothing_to(fd);
    xpub_flush(f->x);
    expect(fd, "\0\1x\0\1x", 6);
    close(fd);
}

/* Reads nothing while 40 MiB are published, then everything that was kept: whole messages, the
 * first ones, and those that come after it has read. */
static void one_that_does_not_read(void **state) {
    fixture *f = *state;
    enum { SIZE = 100000, N = 400 };
    int deaf = connect_as(f, "SUB", 4096), other = connect_as(f, "SUB", 0);
    say(f, deaf, 0, "\1", 1);
    say(f, other, 0, "\1", 1);
    char *text = malloc(SIZE), *got = malloc((size_t)SIZE * N);
    size_t head = ZMTP_GREETING_SIZE + 28, message = 2 + 1 + 9 + SIZE, len;
    assert_int_equal(all_of(f, other, got, head), head);
    for (int i = 0; i < N; i++) {
        memset(text, i, SIZE);
        publish(f, "t", text, SIZE);
        assert_int_equal(all_of(f, other, got, message), message);
    }
    len = all_of(f, deaf, got, (size_t)SIZE * N);
    assert_int_equal((len - head) % message, 0);
    size_t kept = (len - head) / message;
    assert_in_range(kept, 9, N - 100);
    for (size_t i = 0; i < kept; i++)
        assert_int_equal((unsigned char)got[head + i * message + 12], i & 255);
    publish(f, "t", "again", 5);
    expect(deaf, "\1\1t\0\5again", 10);
    free(text);
    free(got);
    close(deaf);
    close(other);
}

static void one_larger_than_the_limit(void **state) {
    fixture *f = *state;
    int fd = subscriber(f, "\1", 1);
    size_t size = 8 << 20;
    char *text = calloc(1, size + 64);
    publish(f, "t", text, size);
    assert_int_equal(all_of(f, fd, text, size + 64), 3 + 9 + size);
    free(text);
    close(fd);
}

static void who_is_thrown_out(void **state) {
    fixture *f = *state;
    int fd = connect_as(f, "DEALER", 0);
    ended(fd);
    close(fd);
    fd = subscriber(f, "\1", 1);
    static char large[3 * TOPICS_MAX_BYTES];
    large[0] = 1;
    say(f, fd, 0, large, TOPICS_MAX_BYTES); /* one topic too large */
    ended(fd);
    close(fd);
    fd = subscriber(f, "\1", 1);
    say(f, fd, 0, large, sizeof large); /* no subscription is as long */
    ended(fd);
    close(fd);
}

static void what_is_ignored(void **state) {
    fixture *f = *state;
    int fd = subscriber(f, "\1", 1);
    say(f, fd, 0, "", 0);
    say(f, fd, 0, "\2what", 5);
    say(f, fd, ZMTP_MORE, "\0", 1); /* of two frames: a message, not the end of a subscription */
    say(f, fd, 0, "\0", 1);
    say(f, fd, ZMTP_COMMAND, "\4WHAT", 5);
    publish(f, "t", "", 0);
    expect(fd, "\1\1t\0\0", 5);
    say(f, fd, ZMTP_COMMAND, "\4PING\0\0abc", 10);
    expect(fd, "\4\10\4PONGabc", 10);
    assert_int_equal(f->n_subscribed, 1);
    close(fd);
}

/* Those that never shake hands are no more than PEERS_UNOPENED (128), the latest. */
static void half_open(void **state) {
    fixture *f = *state;
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)f->port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int good = subscriber(f, "\1", 1), fds[200];
    for (size_t i = 0; i < WB_COUNT(fds); i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(fds[i], (struct sockaddr *)&a, sizeof a), 0);
        xpub_attend(f->x);
    }
    attend(f);
    ended(fds[0]);
    ended(fds[WB_COUNT(fds) - 129]);
    char greeting[100];
    assert_int_equal(come(fds[WB_COUNT(fds) - 128], greeting, 100), ZMTP_GREETING_SIZE);
    nothing_to(fds[WB_COUNT(fds) - 128]);
    publish(f, "t", "", 0);
    expect(good, "\1\1t\0\0", 5);
    for (size_t i = 0; i < WB_COUNT(fds); i++)
        close(fds[i]);
    close(good);
}

int main(void) {
#define ON_AN_XPUB(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_topics),
        cmocka_unit_test(a_set_has_an_end),
        ON_AN_XPUB(by_topic),
        ON_AN_XPUB(two_leave_as_one_write),
        ON_AN_XPUB(one_that_does_not_read),
        ON_AN_XPUB(one_larger_than_the_limit),
        ON_AN_XPUB(who_is_thrown_out),
        ON_AN_XPUB(what_is_ignored),
        ON_AN_XPUB(half_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
