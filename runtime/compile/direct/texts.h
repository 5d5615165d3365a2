/* texts.h: splits a translation unit into the text that g++ compiles and the one that nvcc compiles
 * for the device.
 *
 * The host's text is the unit with launches as nvcc's cudafe++ writes them, and with stubs as
 * kernel bodies. The device's text has kernels, device functions and variables, and what they name
 * of the rest. Both keep the unit's lines by #line. */
#pragma once

#include "runtime/compile/direct/parts/parts.h"

typedef struct wb_texts {
    char *head;           /* the unit's leading #include lines */
    char *host;           /* the rest */
    char *device;         /* NULL: no device code */
    wb_strings instances; /* of kernels, as "k<float, 64>" */
} wb_texts;

/* Splits the unit. Unless it returns WB_FITS, nvcc compiles the unit. Free the texts either way. */
wb_unfit wb_texts_make(const char *unit, wb_texts *texts);
void wb_texts_free(wb_texts *texts);

/* In host.c: appends the host's text of all parts from `from` on. Adds to *instances the kernel
 * templates that launches spell out, such as "k<float>", each as one token of that length. */
wb_unfit wb_host_text(const wb_parts *parts, size_t from, wb_buf *out, wb_word_set *instances);
/* In device.c: appends the device's text: all device code, what it names of the rest, and
 * instances. Appends nothing if the unit has no device code. */
wb_unfit wb_device_text(const wb_parts *parts, const wb_word_set *instances, wb_buf *out);
