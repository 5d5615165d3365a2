/* input.c: makes inputs from the secret seed. */
#include "grader/job/input.h"
#include "grader/job/draw.h"

void gr_poison(void *data, size_t bytes, uint32_t word) {
    char *p = data;
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word)
        memcpy(p, &word, sizeof word);
    memcpy(p, &word, bytes);
}

void gr_input_fill(const gr_job *job, int index, uint32_t run, void *data) {
    const gr_job_arg *arg = &job->args[index];
    if (arg->role == GR_OUTPUT)
        gr_poison(data, gr_job_arg_bytes(arg), GR_POISON);
    else
        gr_draw_fill(job, index, run, data);
}
