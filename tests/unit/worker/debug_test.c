/* debug_test.c: cells of a session under the debugger: the client is a thread here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/json/framed.h"
#include "runtime/worker/session.h"

static const char kernel[] = "__device__ int more(int v) {\n"
                             "    return v + 5;\n"
                             "}\n"
                             "__global__ void k(int *out) {\n"
                             "    int i = threadIdx.x;\n"
                             "    out[i] = more(i) * 2;\n"
                             "}\n"
                             "int *out;\n"
                             "cudaMallocManaged(&out, 4096);";
static const char launch[] =
    "k<<<1, 32>>>(out);\ncudaDeviceSynchronize();\nprintf(\"%d\\n\", out[3]);";

static struct {
    wb_session *session;
    char path[100];
    int listener, peer;
    wb_buf in, out;
    bool interrupt, vanish;
    char line[100], source[100], value[100];
    int stops;
} s;

/* ---- the client ---- */

static void send_request(const char *command, json_t *arguments) {
    static json_int_t seq;
    wb_buf out = {0};
    wb_framed_write(&out, json_pack("{s:I, s:s, s:s, s:o*}", "seq", ++seq, "type", "request",
                                    "command", command, "arguments", arguments));
    assert_true(wb_write_all(s.peer, out.data, out.len));
    wb_buf_free(&out);
}

/* Returns the next message with that command or event, or NULL at the end. */
static json_t *next(const char *name) {
    for (;;) {
        json_t *message = NULL;
        wb_framed found = wb_framed_read(&s.in, &message);
        assert_int_not_equal(found, WB_FRAMED_RUBBISH);
        if (found == WB_FRAMED_MESSAGE) {
            const char *event = json_string_value(json_object_get(message, "event"));
            const char *command = json_string_value(json_object_get(message, "command"));
            if (strcmp(event ? event : command ? command : "", name) == 0)
                return message;
            json_decref(message);
            continue;
        }
        wb_buf_reserve(&s.in, 4096);
        ssize_t n = recv(s.peer, s.in.data + s.in.len, 4096, 0);
        if (n <= 0)
            return NULL;
        s.in.len += (size_t)n;
    }
}

static void look(void) {
    json_t *frames, *value;
    send_request("stackTrace", json_pack("{s:i}", "threadId", 1));
    frames = next("stackTrace");
    const json_t *frame =
        json_array_get(json_object_get(json_object_get(frames, "body"), "stackFrames"), 0);
    snprintf(s.line, sizeof s.line, "%d", (int)json_integer_value(json_object_get(frame, "line")));
    snprintf(s.source, sizeof s.source, "%s",
             json_string_value(json_object_get(json_object_get(frame, "source"), "path")));
    send_request("evaluate", json_pack("{s:s, s:i}", "expression", "i", "frameId", 1));
    value = next("evaluate");
    const char *text = json_string_value(json_object_get(json_object_get(value, "body"), "result"));
    snprintf(s.value, sizeof s.value, "%s", text ? text : "");
    json_decref(frames);
    json_decref(value);
}

static void *client(void *unused) {
    (void)unused;
    s.peer = accept(s.listener, NULL, NULL);
    send_request("initialize", NULL);
    send_request("attach", NULL);
    send_request("setBreakpoints", json_pack("{s:{s:s}, s:[{s:i}]}", "source", "path",
                                             "/tmp/cell-one.cu", "breakpoints", "line", 6));
    send_request("warpbookFocus", json_pack("{s:[i,i,i]}", "thread", 3, 0, 0));
    send_request("configurationDone", NULL);
    for (json_t *stop; (stop = next("stopped")) != NULL;) {
        json_decref(stop);
        s.stops++;
        look();
        if (s.interrupt)
            wb_session_interrupt(s.session);
        else if (s.vanish)
            break;
        else
            send_request("continue", NULL);
    }
    close(s.peer);
    wb_buf_free(&s.in);
    return NULL;
}

/* ---- the session ---- */

static void on_stream(void *ctx, int fd, const char *text, size_t len) {
    (void)ctx;
    wb_buf_append(&s.out, text, len);
    if (fd == 2)
        print_message("%.*s\n", (int)len, text);
}

static wb_status run(const char *code, const char *path, int number) {
    const wb_sink sink = {.stream = on_stream};
    wb_result r;
    wb_buf_clear(&s.out);
    wb_session_run(s.session,
                   &(wb_cell){.code = code, .len = strlen(code), .path = path, .number = number},
                   &sink, &r);
    wb_status status = r.status;
    if (status == WB_ERROR)
        print_message("%s: %s\n", r.ename, r.evalue);
    wb_result_free(&r);
    return status;
}

static int set_up(void **state) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    wb_error err;
    (void)state;
    memset(&s, 0, sizeof s);
    s.session = wb_session_open(&(wb_session_options){.device = "soft"}, &err);
    snprintf(s.path, sizeof s.path, "/tmp/warpbook-debug-test-%d", (int)getpid());
    snprintf(address.sun_path, sizeof address.sun_path, "%s", s.path);
    unlink(s.path);
    s.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return !s.session || bind(s.listener, (struct sockaddr *)&address, sizeof address) != 0 ||
           listen(s.listener, 4) != 0;
}

static int tear_down(void **state) {
    (void)state;
    wb_session_close(s.session);
    close(s.listener);
    unlink(s.path);
    wb_buf_free(&s.out);
    return 0;
}

/* Runs the kernel's cell plain, then its launch under the debugger. */
static wb_status debug_launch(void) {
    pthread_t thread;
    assert_int_equal(run(kernel, "/tmp/cell-one.cu", 1), WB_OK);
    wb_session_debug(s.session, s.path);
    assert_int_equal(pthread_create(&thread, NULL, client, NULL), 0);
    wb_status status = run(launch, "/tmp/cell-two.cu", 2);
    wb_session_debug(s.session, "");
    if (!s.vanish)
        assert_int_equal(run("int after = 1;", NULL, 3), WB_OK); /* ends the connection */
    pthread_join(thread, NULL);
    assert_int_equal(s.stops, 1);
    assert_string_equal(s.source, "/tmp/cell-one.cu");
    assert_string_equal(s.line, "6");
    assert_string_equal(s.value, "3");
    return status;
}

static void a_kernel_of_an_earlier_cell_stops(void **state) {
    (void)state;
    assert_int_equal(debug_launch(), WB_OK);
    assert_int_equal(run(launch, NULL, 4), WB_OK); /* undebugged: nobody connects */
    assert_string_equal(s.out.data, "16\n");
}

static void an_interrupt_ends_a_stopped_launch(void **state) {
    (void)state;
    s.interrupt = true;
    assert_int_equal(debug_launch(), WB_INTERRUPTED);
    assert_int_equal(run("printf(\"%d\\n\", out != nullptr);", NULL, 4), WB_OK);
    assert_string_equal(s.out.data, "1\n"); /* the variables are kept */
}

static void a_client_that_vanishes_leaves_the_cell(void **state) {
    (void)state;
    s.vanish = true;
    assert_int_equal(debug_launch(), WB_OK);
    assert_string_equal(s.out.data, "16\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kernel_of_an_earlier_cell_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_interrupt_ends_a_stopped_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_vanishes_leaves_the_cell, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
