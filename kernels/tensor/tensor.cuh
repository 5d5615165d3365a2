/* tensor.cuh: what the rungs on tensor cores have in common. */
#ifndef WARPBOOK_TENSOR_CUH
#define WARPBOOK_TENSOR_CUH

#include <cuda_bf16.h>
#include <stdint.h>

#include "warpbook.h"

/* alpha sum + beta *before, in fp32, as T: the one rounding of a bf16 result. *before is not read
 * when beta is 0. */
template <typename T>
static __device__ T scaled(float sum, const T *before, float alpha, float beta) {
    return T(alpha * sum + (beta == 0 ? 0.0f : beta * float(*before)));
}

/* cudaSuccess when the code of `kernel` that this device runs was compiled for a compute capability
 * from `least` to `most`; elsewhere the kernel's body is empty, nothing must be launched, and this
 * is cudaErrorNotSupported. */
template <typename Kernel>
static cudaError_t compiled_for(Kernel *kernel, int least, int most = 1 << 20) {
    cudaFuncAttributes code;
    if (cudaFuncGetAttributes(&code, (const void *)kernel) != cudaSuccess) {
        cudaGetLastError(); /* no code for this device at all */
        return cudaErrorNotSupported;
    }
    bool fits = code.ptxVersion >= least && code.ptxVersion <= most;
    return fits ? cudaSuccess : cudaErrorNotSupported;
}

#endif
