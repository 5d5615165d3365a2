/* main.c: the process that loads and runs cells. It is started by the session with a socket
 * (--fd N) and does what the messages there say (worker.c sends them) until the socket closes.
 *
 * It is C and loads no C++ library of its own, so that stdin can be replaced before std::cin looks
 * at it, and it knows the device only through libcudart.so.13, as any CUDA program does. */
#include "runtime/worker/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_process_exit(int status, void *unused) {
    (void)unused;
    if (talk_ours())
        job_exiting(status);
}

int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "--fd") != 0) {
        fprintf(stderr, "warpbook-worker: started by `warpbook kernel`, not by hand\n");
        return 2;
    }
    int control = atoi(argv[2]);
    talk_open(control);
    /* The worker is what should go when memory runs out, not the kernel with the user's work. */
    FILE *score = fopen("/proc/self/oom_score_adj", "w");
    if (score) {
        fputs("1000", score);
        fclose(score);
    }
    limits_open();
    memory_open();
    output_open();
    stdin_open();
    signals_open(control);
    interrupt_open();
    on_exit(on_process_exit, NULL);
    talk_send(json_pack("{s:s}", "op", "ready"));
    json_t *request;
    while ((request = talk_next())) {
        const char *op = json_string_value(json_object_get(request, "op"));
        if (op && strcmp(op, "run") == 0)
            job_run(request);
        json_decref(request); /* anything else is a late answer to a call that was interrupted */
    }
    _exit(0);
}
