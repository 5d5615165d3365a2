/* texts.h: what g++ compiles of a translation unit, and what nvcc for the device.
 *
 * The host's text is the unit's with launches as nvcc's cudafe++ writes them, and with stubs as the
 * bodies of kernels. The device's has kernels, device functions and variables, and of the rest what
 * they name. Both keep the unit's lines by #line. */
#ifndef WARPBOOK_COMPILE_DIRECT_TEXTS_H
#define WARPBOOK_COMPILE_DIRECT_TEXTS_H

#include "runtime/compile/direct/parts/parts.h"

typedef struct wb_texts {
    char *head;       /* the unit's first lines: #include lines alone, a line each */
    char *host;       /* without them */
    char *device;     /* NULL: there is nothing for the device */
    char **instances; /* n_instances kernels, as "k<float, 64>" */
    size_t n_instances;
} wb_texts;

/* Not WB_FITS: nvcc has to compile the unit. Free the texts in either case. */
wb_unfit wb_texts_make(const char *unit, wb_texts *texts);
void wb_texts_free(wb_texts *texts);

#endif
