/* twin.h: a kernel's twin: the same source, compiled with debug information (nvcc -G). */
#pragma once

#include <jansson.h>

#include "runtime/softgpu/debug/debug.h"

/* All-zero is valid. */
typedef struct soft_twin {
    sg_kernel *kernel; /* NULL: no text has the kernel */
    sg_module *module;
    dbg_info *info;
} soft_twin;

/* Finds the kernel in one of the texts (files of PTX). Returns false if none has it. */
bool soft_twin_load(soft_twin *twin, const json_t *texts, const sg_kernel *of, const char *symbol);
void soft_twin_unload(soft_twin *twin);
