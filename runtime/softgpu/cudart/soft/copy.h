/* copy.h: copies and fills of a graph. They are checked when they are added and when they run,
 * because memory may be freed in between. */
#ifndef SOFTGPU_CUDART_SOFT_COPY_H
#define SOFTGPU_CUDART_SOFT_COPY_H

#include "runtime/softgpu/cudart/soft/soft.h"
#include "runtime/softgpu/cudart/work.h"

/* Makes a copy of the parameters, which it does not check against memory. */
cudaError_t soft_copy_of(const char *call, const struct cudaMemcpy3DParms *p, rt_copy *copy);
cudaError_t soft_copy_check(const char *call, const rt_copy *c);
void soft_copy_run(const rt_copy *c); /* must be checked */
cudaError_t soft_fill_check(const char *call, const rt_fill *f);
void soft_fill_run(const rt_fill *f);
/* Sets *address to the byte at `offset` in a __device__ or __constant__ variable. */
cudaError_t soft_symbol(const char *call, const void *symbol, size_t offset, size_t bytes,
                        char **address);

#endif
