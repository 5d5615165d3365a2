/* predict.h: the time that launches would take on a named GPU, where $WARPBOOK_SOFTGPU_MODEL names
 * one by its file. */
#ifndef SOFTGPU_CUDART_PREDICT_H
#define SOFTGPU_CUDART_PREDICT_H

#include <jansson.h>

#include "runtime/model/time.h"
#include "runtime/softgpu/cudart/soft/soft.h"

/* The GPU that is asked about; NULL: none. */
const model_gpu *soft_predict_gpu(void);
/* Whether it is of every launch, until softgpu_set_options says another thing. */
bool soft_predict_by_default(void);

/* Describes the device as that GPU, with the memory that this machine has; nothing without one, or
 * where the environment says so. */
void soft_predict_describe(rt_device *device);

/* Keeps a module's text for the compiler, where a GPU is asked about. */
void soft_predict_keep(const rt_module *module, const char *ptx, size_t len);
void soft_predict_drop(const rt_module *module);

/* What a launch needs there, and what came out. */
typedef struct soft_prediction {
    bool wanted;
    bool compiled;               /* registers by ptxas; else softgpu's estimate */
    uint64_t registers, spilled; /* of a thread: registers, bytes that did not fit in them */
    double launch_s;             /* what the launch itself costs; 0: the GPU's launch_s */
    double spills;               /* places where a word of those is stored or loaded */
    sg_gpu gpu;
    model_occupancy occupancy;
    struct soft_line *lines; /* where they are asked for: malloc'd, n_lines */
    size_t n_lines;
    double patience; /* $WARPBOOK_SOFTGPU_SAMPLE: seconds; 0: every block runs */
    sg_traits traits;
} soft_prediction;

/* The GPU, as far as this launch is concerned. */
model_gpu soft_predict_gpu_for(const soft_prediction *p);

/* Before a launch, traced or not. False with *err where that GPU would refuse it. */
bool soft_predict_open(const rt_launch *l, bool traced, soft_prediction *p, sg_error *err);

/* What of a launch's time is a source line's, those first that have most. */
typedef struct soft_line {
    const char *file;
    uint32_t line;
    bool elsewhere; /* in another file than the kernel: a header's, inlined */
    model_share share;
    enum sg_wait waits; /* what warps wait for there most, as far as it is the latency's */
} soft_line;

/* After a launch: fills in p->lines from what the engine says of them. */
void soft_predict_divide(soft_prediction *p, const sg_line_traits *lines, size_t n);
/* [{"file","line","header","share","limits":{"memory":..},"waits_for":"loads"}]: shares of the
 * launch's time, and of each those that limits have; waits_for where `latency` is one. */
json_t *soft_predict_lines_json(const soft_prediction *p);

/* Of a launch or of a part of it, for the model; queue: what an atomic operation of one lane takes,
 * in those on floats. */
model_traits soft_predict_traits(const sg_traits *t, double queue);
double soft_predict_queue(const sg_traits *t);
model_traits soft_predict_whole(const soft_prediction *p); /* with what ptxas spills */

/* {"gpu":"h200","seconds":..,"low":..,"high":..,"bound":"memory","limits":{"memory":..,...}
 * (seconds), "sentence":"..","resident":8,"registers":32,"registers_by":"ptxas"}, or
 * {"gpu":..,"why":".."} where the model has no time to give; NULL: not wanted. */
json_t *soft_predict_json(const soft_prediction *p);

#endif
