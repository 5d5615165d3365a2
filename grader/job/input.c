/* input.c: inputs from the secret seed. */
#include "grader/job/input.h"
#include "grader/job/draw.h"
#include "grader/job/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_poison(void *data, size_t bytes, uint32_t word) {
    char *p = data;
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word)
        memcpy(p, &word, sizeof word);
    memcpy(p, &word, bytes);
}

/* ---- what the words become ------------------------------------------------------------------ */

static void store(void *data, gr_type type, size_t i, double value) {
    if (type == GR_DOUBLE)
        ((double *)data)[i] = value;
    else if (type == GR_FLOAT)
        ((float *)data)[i] = (float)value;
    else
        ((int32_t *)data)[i] = (int32_t)value;
}

/* ---- whole numbers -------------------------------------------------------------------------- */

/* For GEMM: a holds odd 12-bit integers, so that an input rounded to TF32, half or bfloat16 shows;
 * b holds -1, 0, 1; c 12-bit integers. */
static double product_value(char array, uint32_t w) {
    if (array == 'b')
        return (double)(int)(w % 3) - 1;
    int value = (int)(w % 4096) | (array == 'a');
    return w >> 31 ? -value : value;
}

void gr_input_fill(const gr_job *job, int index, uint32_t run, void *data) {
    const gr_job_arg *arg = &job->args[index];
    size_t n = (size_t)arg->count;
    if (arg->role == GR_OUTPUT) {
        gr_poison(data, gr_job_arg_bytes(arg), GR_POISON);
        return;
    }
    if (job->own) {
        gr_draw_fill(job, index, run, data);
        return;
    }
    uint32_t words[4096];
    for (size_t done = 0; done < n;) {
        size_t part = n - done < WB_COUNT(words) ? n - done : WB_COUNT(words);
        /* a key of its own for every part keeps the filling of large arrays seekable */
        gr_random_fill(job->seed, job->stream, run,
                       (uint32_t)index << 24 | (uint32_t)(done / WB_COUNT(words)), words, part);
        for (size_t i = 0; i < part; i++) {
            double real = job->offset + job->scale * (((int32_t)words[i] >> 8) * 0x1p-23);
            double value = job->values == GR_EXACT ? product_value(arg->name[0], words[i])
                                                   : gr_shaped(arg->type, real);
            store(data, arg->type, done + i, value);
        }
        done += part;
    }
}
