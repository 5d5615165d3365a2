/* direct.h: a cell's library made by g++ itself, beside nvcc for its device code alone. Where one
 * of them says anything, or the unit has what this route does not take, nvcc compiles the whole:
 * its words and results count. */
#ifndef WARPBOOK_COMPILE_DIRECT_H
#define WARPBOOK_COMPILE_DIRECT_H

#include "runtime/compile/direct/parts/parts.h"
#include "runtime/device/toolkit.h"

typedef struct wb_direct_job {
    const char *const *argv; /* nvcc's command line, without its source and output */
    const wb_toolkit *toolkit;
    const char *text;   /* the source */
    const char *folder; /* to work in; gets `output`, the library, and inputs.d, its make rule */
    const char *cwd;    /* where relative names in argv are looked up */
    size_t limit_memory;
    const volatile int *stop;
} wb_direct_job;

/* WB_FITS: the library is made. */
wb_unfit wb_direct_compile(const wb_direct_job *job);
/* Begins the prelude that a unit with the text's #include lines needs. Of the job only argv,
 * toolkit and text are used. */
void wb_direct_ahead(const wb_direct_job *job);

#endif
