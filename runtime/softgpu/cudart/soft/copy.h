/* copy.h: copies and fills that a graph keeps: checked when they are added and when they run, as
 * memory may be freed in between. */
#ifndef SOFTGPU_CUDART_SOFT_COPY_H
#define SOFTGPU_CUDART_SOFT_COPY_H

#include "runtime/softgpu/cudart/soft/soft.h"
#include "runtime/softgpu/cudart/work.h"

cudaError_t soft_copy_check(const char *call, const rt_copy *c);
void soft_copy_run(const rt_copy *c); /* of a checked one */
cudaError_t soft_fill_check(const char *call, const rt_fill *f);
void soft_fill_run(const rt_fill *f);
/* The address of bytes at offset of a __device__ or __constant__ variable. */
cudaError_t soft_symbol(const char *call, const void *symbol, size_t offset, size_t bytes,
                        char **address);

#endif
