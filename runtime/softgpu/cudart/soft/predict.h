/* predict.h: the time of launches on the GPU whose file $WARPBOOK_SOFTGPU_MODEL names. */
#pragma once

#include <jansson.h>

#include "runtime/model/time.h"
#include "runtime/softgpu/cudart/soft/soft.h"

/* Returns the modelled GPU, or NULL. */
const model_gpu *soft_predict_gpu(void);
/* Returns true if every launch is modelled, until softgpu_set_options() says otherwise. */
bool soft_predict_by_default(void);

/* Describes the device as that GPU, with this machine's memory. Does nothing without a GPU, or if
 * the environment forbids it. */
void soft_predict_describe(rt_device *device);

/* The inputs and results of a launch's model. */
typedef struct soft_prediction {
    bool wanted;
    bool compiled;               /* registers by ptxas; else softgpu's estimate */
    uint64_t registers, spilled; /* per thread: registers, spilled bytes */
    double launch_s;             /* cost of the launch itself; 0: the GPU's launch_s */
    double spills;               /* instructions that spill or reload a word */
    sg_gpu gpu;
    model_occupancy occupancy;
    struct soft_line *lines; /* n_lines, malloc'd, if wanted */
    size_t n_lines;
    double patience; /* $WARPBOOK_SOFTGPU_SAMPLE: seconds; 0: every block runs */
    sg_traits traits;
} soft_prediction;

/* Returns the GPU with the launch's own figures. */
model_gpu soft_predict_gpu_for(const soft_prediction *p);

/* Call before a launch, traced or not. Returns false and sets err if the GPU would refuse it. */
bool soft_predict_open(const rt_launch *l, bool traced, soft_prediction *p, sg_error *err);

/* A source line's share of the time. The list is in descending order. */
typedef struct soft_line {
    const char *file;
    uint32_t line;
    bool elsewhere; /* in a file other than the kernel's, such as an inlined header */
    model_share share;
    enum sg_wait waits; /* the main cause of waits, for its part of latency */
} soft_line;

/* Call after a launch: fills p->lines from the engine's results. */
void soft_predict_divide(soft_prediction *p, const sg_line_traits *lines, size_t n);

/* Returns {"gpu":"h200","seconds":..,"low":..,"high":..,"bound":"memory",
 * "limits":{"memory":..,...} (seconds),"sentence":"..","resident":8,"registers":32,
 * "registers_by":"ptxas"}, or {"gpu":..,"why":".."} if there is no time. NULL: not wanted. */
json_t *soft_predict_json(const soft_prediction *p);
