/* image.h: turns the debug sections of PTX text into an ELF image in memory, which libdw reads.
 *
 * nvcc -G writes DWARF as directives (.b8 144, .b64 $L__tmp13). A label becomes a number: the
 * instructions of all functions are numbered from 1 on, one number more for each function's end. A
 * variable becomes 1 + its index in `symbols`, in the upper 32 bits. */
#ifndef SOFTGPU_DEBUG_IMAGE_H
#define SOFTGPU_DEBUG_IMAGE_H

#include "runtime/base/base.h"
#include "runtime/softgpu/ptx/ptx.h"

typedef struct dbg_image {
    wb_buf elf;
    wb_strings symbols; /* names of variables and registers' depots */
    uint32_t *first;    /* by function of the module: the number of its first instruction */
} dbg_image;

/* Makes the image of a module's text. Returns false without debug sections or memory. Free *image
 * with dbg_image_free in every case. */
bool dbg_image_make(const char *text, size_t len, const ptx_module *module, dbg_image *image);
void dbg_image_free(dbg_image *image);

#endif
