/* texts.h: splits a translation unit into the text that g++ compiles and the one that nvcc compiles
 * for the device.
 *
 * The host's text is the unit with launches as nvcc's cudafe++ writes them, and with stubs as
 * kernel bodies. The device's text has kernels, device functions and variables, and what they name
 * of the rest. Both keep the unit's lines by #line. */
#ifndef WARPBOOK_COMPILE_DIRECT_TEXTS_H
#define WARPBOOK_COMPILE_DIRECT_TEXTS_H

#include "runtime/compile/direct/parts/parts.h"

typedef struct wb_texts {
    char *head;       /* the unit's leading #include lines */
    char *host;       /* the rest */
    char *device;     /* NULL: no device code */
    char **instances; /* n_instances kernels, as "k<float, 64>" */
    size_t n_instances;
} wb_texts;

/* Splits the unit. Unless it returns WB_FITS, nvcc compiles the unit. Free the texts either way. */
wb_unfit wb_texts_make(const char *unit, wb_texts *texts);
void wb_texts_free(wb_texts *texts);

#endif
