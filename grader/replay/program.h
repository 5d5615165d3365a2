/* program.h: one run of a plan: its buffers, filled from the seed, and its launches. */
#pragma once

#include "grader/replay/cuda.h"
#include "grader/replay/plan.h"
#include "grader/replay/transfer.h"

/* The submission's loaded device code. */
typedef struct gr_module {
    cudaLibrary_t library;
} gr_module;

bool gr_module_load(const void *fatbin, gr_module *module, wb_error *err);
void gr_module_unload(gr_module *module);

/* Device memory for one run. On a GPU, all buffers are in one allocation with guard zones around
 * each, which reveal writes outside. softgpu checks every access, so each buffer has its own
 * allocation of the exact size. */
typedef struct gr_memory {
    const gr_plan *plan;
    const gr_job *job;
    unsigned char *base[GR_PLAN_MAX_BUFFERS];
    unsigned char *arena; /* NULL on softgpu */
    size_t arena_bytes;
    gr_pages host[GR_MAX_ARGS]; /* copies of the inputs, by argument */
} gr_memory;

/* Allocates the buffers and fills them for the inputs of `run`. Outputs and temporaries hold
 * poison. *memory is all zero, or of an earlier run, whose buffers are freed. The caller frees it
 * with gr_memory_free, also after a failure. */
bool gr_memory_make(const gr_plan *plan, const gr_job *job, uint32_t run, gr_memory *memory,
                    wb_error *err);
/* Resets results and temporaries to their content at the start of a run. */
bool gr_memory_reset(gr_memory *memory, wb_error *err);
/* Frees the host's copies of the inputs, which are needed only to check that inputs are
 * unchanged. */
void gr_memory_forget_inputs(gr_memory *memory);
void gr_memory_free(gr_memory *memory);

/* The plan's steps, with all kernels looked up and all parameters set. */
typedef struct gr_program gr_program;
gr_program *gr_program_make(const gr_module *module, const gr_memory *memory, wb_error *err);
void gr_program_free(gr_program *program);

/* Puts all steps onto the stream and does not wait. */
bool gr_program_start(const gr_program *program, wb_error *err);
/* Waits for the steps. Returns false with *err if one failed while it ran. */
bool gr_program_wait(wb_error *err);

/* Writes the result arrays to a file, in the order of the arguments. */
bool gr_memory_results(const gr_memory *memory, const char *path, wb_error *err);
/* Return false with *err if a guard zone was overwritten, or an input changed. The first is always
 * true on softgpu, which checks every access. */
bool gr_memory_guarded(const gr_memory *memory, wb_error *err);
bool gr_memory_unchanged(const gr_memory *memory, wb_error *err);
