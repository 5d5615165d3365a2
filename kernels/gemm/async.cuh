/* async.cuh: copies from global to shared memory without registers (cp.async, from sm_80 on). A
 * thread starts copies and closes a group of them with async_commit(). Later it waits until all but
 * its newest PENDING groups have arrived. A barrier then makes them visible to the block.
 *
 * The compiler may move other accesses past a copy, but not past a wait or a barrier. These
 * separate the readers and writers of a buffer.
 *
 * Before sm_80 the same calls copy at once through a register: correct, but slower. Source: PTX ISA
 * 9.0, "Data Movement and Conversion Instructions: Asynchronous copy". */
#pragma once

/* Copies FLOATS (1 or 4; 4 needs both pointers aligned to 16 bytes) from `from` to `to`, a pointer
 * or an address in shared memory. If `inside` is false, writes zeros and reads nothing. */
template <int FLOATS>
static __device__ __forceinline__ void async_copy(unsigned to, const float *from, bool inside) {
    static_assert(FLOATS == 1 || FLOATS == 4, "4 or 16 bytes");
#if __CUDA_ARCH__ >= 800
    int bytes = inside ? 4 * FLOATS : 0;
    if constexpr (FLOATS == 4) /* .cg: bypasses L1; .ca: through L1, 4 bytes at a time */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                     "r"(bytes));
#else
    if constexpr (FLOATS == 4)
        *(float4 *)__cvta_shared_to_generic(to) =
            inside ? *(const float4 *)from : make_float4(0, 0, 0, 0);
    else
        *(float *)__cvta_shared_to_generic(to) = inside ? *from : 0;
#endif
}

template <int FLOATS>
static __device__ __forceinline__ void async_copy(float *to, const float *from, bool inside) {
    async_copy<FLOATS>((unsigned)__cvta_generic_to_shared(to), from, inside);
}

static __device__ __forceinline__ void async_commit() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int PENDING> static __device__ __forceinline__ void async_wait() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}
