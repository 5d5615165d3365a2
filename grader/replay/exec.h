/* exec.h: one run of a plan: buffers of its own, filled from the seed, and the launches. */
#ifndef GRADER_REPLAY_EXEC_H
#define GRADER_REPLAY_EXEC_H

#include "grader/replay/cuda.h"
#include "grader/replay/plan.h"

/* The submission's device code, loaded. */
typedef struct gr_module {
    cudaLibrary_t library;
} gr_module;

bool gr_module_load(const gr_cuda *cuda, const void *fatbin, gr_module *module, wb_error *err);
void gr_module_unload(const gr_cuda *cuda, gr_module *module);

/* Device memory for one run. On a GPU all of it lies in one allocation with guard zones around
 * every buffer, so that a write outside is seen; softgpu sees every access itself and gives each
 * buffer an allocation of exactly its size. */
typedef struct gr_memory {
    const gr_plan *plan;
    const gr_job *job;
    unsigned char *base[GR_PLAN_MAX_BUFFERS];
    unsigned char *arena; /* NULL on softgpu */
    size_t arena_bytes;
    void *host[GR_MAX_ARGS]; /* the inputs as they were made, by argument; NULL: forgotten */
} gr_memory;

/* Allocates and fills for the inputs of `run`; outputs and temporaries hold poison. Freed with
 * gr_memory_free, also after a failure. */
bool gr_memory_make(const gr_cuda *cuda, const gr_plan *plan, const gr_job *job, uint32_t run,
                    gr_memory *memory, wb_error *err);
/* Puts everything that results and temporaries hold back to how a run starts. */
bool gr_memory_reset(const gr_cuda *cuda, gr_memory *memory, wb_error *err);
/* Frees the host's copy of the inputs, which a run needs no more once they were found unchanged. */
void gr_memory_forget_inputs(gr_memory *memory);
void gr_memory_free(const gr_cuda *cuda, gr_memory *memory);

/* The plan's steps with every kernel looked up and every parameter in place. */
typedef struct gr_program gr_program;
gr_program *gr_program_make(const gr_cuda *cuda, const gr_module *module, const gr_memory *memory,
                            wb_error *err);
void gr_program_free(gr_program *program);

/* Puts all steps onto the stream; does not wait. */
bool gr_program_start(const gr_cuda *cuda, const gr_program *program, wb_error *err);
/* Waits for them; the error of a fault while they ran. */
bool gr_program_wait(const gr_cuda *cuda, wb_error *err);

/* Appends the result arrays, in the order of the arguments. */
bool gr_memory_results(const gr_cuda *cuda, const gr_memory *memory, wb_buf *out, wb_error *err);
/* False, with a sentence, when a guard zone was written to (always true on softgpu, which has seen
 * every access), or when an input changed. */
bool gr_memory_guarded(const gr_cuda *cuda, const gr_memory *memory, wb_error *err);
bool gr_memory_unchanged(const gr_cuda *cuda, const gr_memory *memory, wb_error *err);

#endif
