/* overlap.h: starts a kernel while the previous one in its stream still runs (programmatic
 * dependent launch, from compute capability 9.0; CUDA C++ Programming Guide, "Programmatic
 * Dependent Launch and Synchronization").
 *
 *   before<<<...>>>(..., work);
 *
 *   launch_overlapped(after, grid, block, stream, work, out);
 *
 * `before` calls overlap_next() when its loads are done. `after` calls overlap_wait() before it
 * reads `work`. `before` has an ordinary launch, so it starts after all earlier work in the stream.
 * So the next call may write the same `work` while nothing reads it. A kernel that is itself
 * launched by launch_overlapped() must call overlap_wait() before it writes.
 *
 * On other devices the second kernel is an ordinary launch, and both calls do nothing. */
#pragma once

#include "launch.h"

/* Allows the next kernel's blocks to start when all blocks have called this or ended. Guarantees
 * nothing about memory. */
static __device__ __forceinline__ void overlap_next(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until the previous kernel has ended and its writes are visible. Every thread that reads
 * them, or writes what that kernel reads, calls this first. */
static __device__ __forceinline__ void overlap_wait(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Returns true if the running code has the two instructions. Code compiled at load time from PTX
 * for an older architecture does not, and must not start early. */
template <typename F> static bool can_overlap(F *kernel) {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
}

/* shared: bytes of dynamic shared memory. */
template <typename... P, typename... A>
static cudaError_t launch_overlapped_with(void (*kernel)(P...), dim3 grid, unsigned block,
                                          size_t shared, cudaStream_t stream, A... arguments) {
    cudaLaunchAttribute early = early_start();
    const cudaLaunchConfig_t config =
        launch_config(can_overlap(kernel) ? &early : nullptr, grid, block, shared, stream);
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <typename... P, typename... A>
static cudaError_t launch_overlapped(void (*kernel)(P...), dim3 grid, unsigned block,
                                     cudaStream_t stream, A... arguments) {
    return launch_overlapped_with(kernel, grid, block, 0, stream, arguments...);
}
