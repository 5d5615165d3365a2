/* direct.h: compiles a cell's library with g++, and only its device code with nvcc. If a compiler
 * prints anything, or this route does not support the unit, nvcc compiles all of it, and its
 * messages and results count. */
#pragma once

#include "runtime/compile/direct/parts/parts.h"
#include "runtime/device/toolkit.h"

typedef struct wb_direct_job {
    const char *const *argv; /* nvcc's command line without source and output */
    const wb_toolkit *toolkit;
    const char *text;   /* the source */
    const char *folder; /* to work in; gets `output`, the library, and inputs.d, its make rule */
    const char *cwd;    /* for relative names in argv */
    bool debug;         /* `output` is PTX with debug information instead */
    size_t limit_memory;
    const volatile int *stop;
} wb_direct_job;

/* Returns WB_FITS if the library was made. */
wb_unfit wb_direct_compile(const wb_direct_job *job);
/* Starts to make the prelude for a unit with the text's #include lines. Uses only argv, toolkit and
 * text of the job. */
void wb_direct_ahead(const wb_direct_job *job);
