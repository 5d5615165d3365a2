/* main.c: the process that loads and runs cells. The session starts it with a socket (--fd N). It
 * serves the messages there (worker.c sends them) until the socket closes.
 *
 * It is in C and loads no C++ library itself, so that it can replace stdin before std::cin reads
 * it. It knows the device only through libcudart.so.13, like any CUDA program. */
#include "runtime/worker/process/process.h"
#include "runtime/json/fields.h"

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
    /* If memory runs out, the system should kill the worker, not the kernel. */
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
        const char *op = wb_field_string(request, "op");
        if (op && strcmp(op, "run") == 0)
            job_run(request);
        json_decref(request); /* other messages are late answers to an interrupted call */
    }
    _exit(0);
}
