/* array.h: CUDA arrays. softgpu keeps them row by row without gaps, so one side of a copy is a box
 * (work.h) as in any other memory. */
#ifndef SOFTGPU_CUDART_SOFT_ARRAY_H
#define SOFTGPU_CUDART_SOFT_ARRAY_H

#include "runtime/softgpu/cudart/work.h"
#include "runtime/softgpu/texture/texture.h"

struct cudaArray { /* NVIDIA's header declares it */
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as asked for, 0 where it has no such dimension */
    unsigned flags;
    size_t texel_bytes;
    sg_image image;
};

/* Sets *texel_bytes. Returns an error unless it is 1, 2 or 4 channels of one size and kind. */
cudaError_t soft_format_check(const char *call, const struct cudaChannelFormatDesc *format,
                              size_t *texel_bytes);
/* Returns an error for an array that does not exist. */
cudaError_t soft_array_check(const char *call, cudaArray_const_t array);
/* Makes the box of an array from the byte `x` in row `y` of slice `z`. Returns an error if `size`
 * bytes, rows and slices do not fit, or if `kind` does not copy to (or from) device memory. */
cudaError_t soft_array_box(const char *call, cudaArray_const_t array, size_t x, size_t y, size_t z,
                           const rt_extent *size, enum cudaMemcpyKind kind, bool to, rt_box *box);

#endif
