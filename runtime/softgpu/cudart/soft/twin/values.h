/* values.h: what variables hold during a launch (SG_RECORD_VALUES). A launch that is recorded runs
 * the kernel's twin: the same source, compiled with debug information (nvcc -G). */
#pragma once

#include <jansson.h>

#include "runtime/softgpu/cudart/soft/twin/twin.h"
#include "runtime/softgpu/engine.h"

enum soft_values_trouble {
    SOFT_VALUES_FINE,
    SOFT_VALUES_SOURCE, /* no twin has the kernel */
    SOFT_VALUES_NAME,   /* the kernel has no variable `name` */
    SOFT_VALUES_MANY,   /* more numbers than are recorded */
    SOFT_VALUES_LINE    /* a trace: `line` is in no code, or in another function */
};

/* A launch's recording. All-zero is valid. */
typedef struct soft_values {
    enum soft_values_trouble trouble;
    const char *name;            /* of the wish; or the function with `line`, or NULL */
    const char *followed, *file; /* the function of the trace; the kernel's file */
    uint32_t line, next;         /* next: with code, behind `line`; 0: none */
    uint32_t (*lines)[2];
    sg_wish wish;
    dbg_list list;
    wb_strings known,
        parameters; /* names of the function's variables; of the kernel's parameters */
    soft_twin twin;
} soft_values;

/* Reads the wish's members: "names", "texts" (files of PTX), "first", "last", "before", "every",
 * and for a trace "lines", "thread". NULL: none. */
void soft_values_read(const json_t *wish);

/* Replaces the launch's kernel by its twin and sets its wish. If it finds trouble, the launch stays
 * as it is, without a wish. */
void soft_values_open(soft_values *v, sg_launch *launch, sg_kernel_info *info);
/* Returns the record as JSON (softgpu.h). */
json_t *soft_values_json(const soft_values *v, const sg_recorded *recorded);
void soft_values_close(soft_values *v);
