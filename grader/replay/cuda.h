/* cuda.h: calls of libcudart.so.13, looked up at run time. So one program works with NVIDIA's
 * library and softgpu's, and needs no toolkit to start. */
#pragma once

#include <cuda_runtime_api.h>
#include "runtime/base/base.h"

#define GR_CUDA_CALLS(X)                                                                           \
    X(cudaMalloc)                                                                                  \
    X(cudaFree)                                                                                    \
    X(cudaMallocHost)                                                                              \
    X(cudaFreeHost)                                                                                \
    X(cudaMemcpy)                                                                                  \
    X(cudaMemcpyAsync)                                                                             \
    X(cudaMemcpyToSymbol)                                                                          \
    X(cudaMemset)                                                                                  \
    X(cudaMemsetAsync)                                                                             \
    X(cudaMemset2DAsync)                                                                           \
    X(cudaStreamCreateWithFlags)                                                                   \
    X(cudaStreamSynchronize)                                                                       \
    X(cudaDeviceSynchronize)                                                                       \
    X(cudaDeviceGetAttribute)                                                                      \
    X(cudaCtxResetPersistingL2Cache)                                                               \
    X(cudaGetLastError)                                                                            \
    X(cudaGetErrorName)                                                                            \
    X(cudaGetErrorString)                                                                          \
    X(cudaEventCreate)                                                                             \
    X(cudaEventRecord)                                                                             \
    X(cudaEventSynchronize)                                                                        \
    X(cudaEventElapsedTime)                                                                        \
    X(cudaLibraryLoadData)                                                                         \
    X(cudaLibraryUnload)                                                                           \
    X(cudaLibraryGetKernel)                                                                        \
    X(cudaLibraryGetGlobal)                                                                        \
    X(cudaLaunchKernelExC)                                                                         \
    X(cudaFuncSetAttribute)                                                                        \
    X(cudaFuncGetParamInfo)

typedef struct gr_cuda {
#define X(name) __typeof__(name) *name;
    GR_CUDA_CALLS(X)
#undef X
    /* softgpu's own (softgpu.h); NULL on a GPU */
    void (*set_options)(unsigned options);
    char *(*report)(int reset);
    void (*poison)(void *pointer, size_t bytes, uint32_t word);
    void (*interrupt)(void);
    void (*heap_clear)(void);
    void (*recover)(void);
    cudaStream_t stream;
    int l2_bytes;
} gr_cuda;

/* The library of this process, after gr_cuda_open. */
extern gr_cuda cuda;

/* False with *err: the library or one of its calls is missing, or the device can't be used. */
bool gr_cuda_open(wb_error *err);

/* Returns true for cudaSuccess. Otherwise returns false, and *err is "WHAT: the error's text". */
bool gr_cuda_ok(cudaError_t status, const char *what, wb_error *err);
