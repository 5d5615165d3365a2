/* dap_fuzz.c: any bytes from a debugger's client, while a thread of a kernel has stopped: its
 * requests are answered or refused, and the launch ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/json/framed.h"
#include "runtime/softgpu/debug/debug.h"

#define PTX "tests/fuzz/corpus/dwarf/kernel.ptx"
#define KERNEL "_Z1kPKfPfi"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    char path[100];
    int listener;
    sg_module *module;
    sg_kernel *kernel;
    dbg_info *info;
    float *in, *out;
    const uint8_t *data;
    size_t size;
} all;

static void set_up(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    wb_buf text = {0};
    sg_error err;
    snprintf(all.path, sizeof all.path, "/tmp/warpbook-dap-fuzz-%d", (int)getpid());
    snprintf(address.sun_path, sizeof address.sun_path, "%s", all.path);
    all.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(all.path);
    if (bind(all.listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(all.listener, 4) != 0 || !wb_file_read(PTX, 0, &text, NULL))
        abort();
    all.module = sg_module_load(text.data, text.len, &err);
    all.kernel = all.module ? sg_module_kernel(all.module, KERNEL, &err) : NULL;
    all.info = all.kernel ? dbg_open_kernel(all.kernel) : NULL;
    all.in = sg_mem_alloc(64 * sizeof(float), SG_MEM_DEVICE, "in", &err);
    all.out = sg_mem_alloc(64 * sizeof(float), SG_MEM_DEVICE, "out", &err);
    if (!all.info || !all.in || !all.out)
        abort();
    memset(all.in, 0, 64 * sizeof(float));
    sg_mem_written(all.in, 64 * sizeof(float));
    wb_buf_free(&text);
}

static void ask(wb_buf *out, const char *command) {
    wb_framed_write(out,
                    json_pack("{s:i, s:s, s:s}", "seq", 1, "type", "request", "command", command));
}

static void *client(void *unused) {
    char answers[65536];
    size_t n = 0;
    wb_buf out = {0};
    int peer = accept(all.listener, NULL, NULL);
    ask(&out, "pause");
    ask(&out, "configurationDone");
    wb_write_all(peer, out.data, out.len);
    for (ssize_t got; n + 1 < sizeof answers; n += (size_t)got) {
        answers[n] = '\0';
        if (strstr(answers, "\"stopped\""))
            break;
        got = recv(peer, answers + n, sizeof answers - 1 - n, 0);
        if (got <= 0)
            abort(); /* it must stop */
    }
    for (size_t at = 0; at < all.size;) {
        ssize_t sent = send(peer, all.data + at, all.size - at, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += (size_t)sent;
    }
    shutdown(peer, SHUT_WR);
    while (recv(peer, answers, sizeof answers, 0) > 0)
        ;
    close(peer);
    wb_buf_free(&out);
    return unused;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pthread_t thread;
    sg_error err;
    if (!all.info)
        set_up();
    const struct {
        const float *in;
        float *out;
        int n;
    } params = {all.in, all.out, 60};
    sg_launch launch = {
        .kernel = all.kernel, .grid = {2, 1, 1}, .block = {32, 1, 1}, .params = &params};
    all.data = data;
    all.size = size;
    if (pthread_create(&thread, NULL, client, NULL) != 0)
        abort();
    dbg_serve(all.path, NULL);
    dbg_session *session = dbg_launch_open(&launch, all.info);
    if (!session || sg_launch_run(&launch, &err) != 0)
        abort();
    dbg_launch_close(session);
    free(launch.lines);
    sg_recorded_free(launch.recorded);
    pthread_join(thread, NULL);
    return 0;
}
