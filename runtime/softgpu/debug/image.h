/* image.h: turns the debug sections of a PTX module into an ELF image in memory, which libdw reads.
 *
 * A label becomes a number: the instructions of all functions are numbered from 1 on, with one
 * number more for each function's end. A variable becomes 1 + its index in `symbols`, in the upper
 * 32 bits. */
#pragma once

#include "runtime/base/base.h"
#include "runtime/softgpu/ptx/ptx.h"

typedef struct dbg_image {
    wb_buf elf;
    const char **symbols; /* n_symbols: names of variables; the module's */
    uint32_t n_symbols;
    uint32_t *first; /* by function: the number of its first instruction */
} dbg_image;

/* Returns false without debug sections or memory. Free *image with dbg_image_free in every case. */
bool dbg_image_make(const ptx_module *module, dbg_image *image);
void dbg_image_free(dbg_image *image);
