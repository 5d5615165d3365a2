/* overlap.h: a kernel that is brought up while the one before it in its stream still runs
 * (programmatic dependent launch, from compute capability 9.0; CUDA C++ Programming Guide,
 * "Programmatic Dependent Launch and Synchronization").
 *
 *     before<<<...>>>(..., work);                    calls overlap_next() when its loads are done
 *     launch_overlapped(after, grid, block, stream, work, out);
 *                                                    calls overlap_wait() before it reads `work`
 *
 * `before` is launched as ever, so it starts when all that came earlier in the stream has ended:
 * the next call may write the same `work` while nothing reads it. Were it launched by
 * launch_overlapped as well, it would have to call overlap_wait() before it writes.
 *
 * Elsewhere the second kernel is an ordinary launch and both calls are nothing. */
#ifndef WARPBOOK_OVERLAP_H
#define WARPBOOK_OVERLAP_H

#include <cuda_runtime.h>

/* When all blocks have come here or ended, the next kernel's blocks may start. Makes no promise
 * about memory. */
static __device__ __forceinline__ void overlap_next(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Returns when the kernel before has ended and what it wrote can be read. Every thread that reads
 * it, or writes what it reads, calls this first. */
static __device__ __forceinline__ void overlap_wait(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The code that will run has the two instructions: what is compiled at load from the PTX for an
 * older architecture has not, and must not start early. */
template <typename F> static bool can_overlap(F *kernel) {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
}

/* shared: bytes of dynamic shared memory. */
template <typename... P, typename... A>
static cudaError_t launch_overlapped_with(void (*kernel)(P...), dim3 grid, unsigned block,
                                          size_t shared, cudaStream_t stream, A... arguments) {
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = can_overlap(kernel) ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <typename... P, typename... A>
static cudaError_t launch_overlapped(void (*kernel)(P...), dim3 grid, unsigned block,
                                     cudaStream_t stream, A... arguments) {
    return launch_overlapped_with(kernel, grid, block, 0, stream, arguments...);
}

#endif
