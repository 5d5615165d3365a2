/* tensor.cuh: shared by the rungs on tensor cores. */
#pragma once

#include <cuda_bf16.h>
#include <stdint.h>

#include "launch.h"
#include "warpbook.h"

/* Returns alpha sum + beta *before, computed in fp32, as T. This is the only rounding of a bf16
 * result. If beta is 0, *before is not read. */
template <typename T>
static __device__ T scaled(float sum, const T *before, float alpha, float beta) {
    return T(alpha * sum + (beta == 0 ? 0.0f : beta * float(*before)));
}

/* The places at which rows of A and B start: at multiples of 16 bytes, of 4 bytes (doubles: 8), or
 * anywhere. */
enum row_starts { AT_PIECES, AT_WORDS, ANYWHERE };

/* Returns where rows of dense matrices start. `on` is the bitwise or of all distances between rows
 * or products, in elements. AT_PIECES: C, too, can be stored 16 bytes at a time. */
template <typename T>
static row_starts starts_of(const T *A, const T *B, const T *C, long long on) {
    const size_t at = on * sizeof(T) | (uintptr_t)A | (uintptr_t)B;
    if ((at | (uintptr_t)C) % 16 == 0)
        return AT_PIECES;
    return at % 4 == 0 ? AT_WORDS : ANYWHERE;
}

/* C = beta C, for empty products. If beta is 0, C is not read. */
template <typename T> static __global__ void scale_all(T *C, size_t n, float beta) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x)
        C[i] = scaled<T>(0, &C[i], 0, beta);
}

template <typename T> static cudaError_t scale(T *C, size_t n, float beta, cudaStream_t stream) {
    size_t blocks = (n - 1) / 256 + 1;
    scale_all<<<(unsigned)(blocks < 1024 ? blocks : 1024), 256, 0, stream>>>(C, n, beta);
    return cudaGetLastError();
}

/* Returns cudaSuccess if this device runs code of `kernel` for a compute capability from `least` to
 * `most`. Otherwise the kernel is empty, must not be launched, and the result is
 * cudaErrorNotSupported. */
template <typename Kernel>
static cudaError_t compiled_for(Kernel *kernel, int least, int most = 1 << 20) {
    cudaFuncAttributes code;
    if (cudaFuncGetAttributes(&code, (const void *)kernel) != cudaSuccess) {
        cudaGetLastError(); /* there is no code for this device */
        return cudaErrorNotSupported;
    }
    bool fits = code.ptxVersion >= least && code.ptxVersion <= most;
    return fits ? cudaSuccess : cudaErrorNotSupported;
}
