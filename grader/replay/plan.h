/* plan.h: reads a plan of the recording libcudart (runtime/record/README.md) for the runner. It
 * comes from a process with the student's code, so every field is checked. */
#pragma once

#include <jansson.h>
#include "grader/job/job.h"

enum { GR_PLAN_MAX_BUFFERS = 4096, GR_PLAN_MAX_STEPS = 65536, GR_PLAN_MAX_PARAMS = 32768 };

typedef struct gr_plan_pointer {
    uint32_t at; /* offset in bytes in the step's data */
    uint32_t buffer;
    int64_t offset;
} gr_plan_pointer;

typedef struct gr_plan_step {
    enum { GR_LAUNCH, GR_MEMSET, GR_MEMSET2D, GR_COPY, GR_SYMBOL, GR_UPLOAD, GR_SYMBOL_COPY } op;
    char *name; /* kernel or symbol */
    uint32_t grid[3], block[3], cluster[3], shared;
    int max_dynamic_shared, carveout;
    bool cooperative;
    unsigned char *data; /* parameters, or the content of a symbol or upload */
    size_t data_len;
    gr_plan_pointer *pointers;
    size_t n_pointers;
    uint32_t buffer, source;
    size_t offset, source_offset, bytes; /* memset2d: bytes is the width */
    size_t pitch, height;
    int value;
    bool to_symbol; /* symbol_copy: copy from the buffer (at source_offset) into the variable */
} gr_plan_step;

typedef struct gr_plan {
    struct {
        int arg; /* the job's argument; -1: a temporary */
        size_t bytes;
    } buffers[GR_PLAN_MAX_BUFFERS];
    size_t n_buffers;
    gr_plan_step *steps;
    size_t n_steps;
} gr_plan;

/* NULL, with a sentence for the student, if the file is not a complete plan for the job. */
gr_plan *gr_plan_read(const char *path, const gr_job *job, wb_error *err);
void gr_plan_free(gr_plan *plan);
/* Returns how many bytes the plan's copies and fills read and write, in whole sectors. */
uint64_t gr_plan_copied(const gr_plan *plan);
/* Returns {"steps": copies and fills, "uploads": copies of host data, "uploaded": their bytes}. */
json_t *gr_plan_copies(const gr_plan *plan);
