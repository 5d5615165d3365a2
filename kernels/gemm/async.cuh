/* async.cuh: copies from global into shared memory that no register passes through (cp.async, from
 * sm_80 on). A thread starts copies, closes a group of them with async_commit, goes on with other
 * work, and later waits until all but its newest PENDING groups have arrived; a barrier then makes
 * them visible to the block.
 *
 * The compiler may move other accesses past a copy, but neither past a wait nor past a barrier, and
 * those two are what readers and writers of a buffer are kept apart by.
 *
 * Before sm_80 the same calls copy at once, by way of a register: just as right, not as fast.
 * Source: PTX ISA 9.0, "Data Movement and Conversion Instructions: Asynchronous copy". */
#ifndef WARPBOOK_GEMM_ASYNC_CUH
#define WARPBOOK_GEMM_ASYNC_CUH

/* FLOATS (1 or 4; 4 wants both pointers at multiples of 16 bytes) from `from` to `to`, a pointer or
 * an address in shared memory; zeros where `inside` is false, and nothing is read then. */
template <int FLOATS>
static __device__ __forceinline__ void async_copy(unsigned to, const float *from, bool inside) {
    static_assert(FLOATS == 1 || FLOATS == 4, "4 or 16 bytes");
#if __CUDA_ARCH__ >= 800
    int bytes = inside ? 4 * FLOATS : 0;
    if constexpr (FLOATS == 4) /* .cg: past the L1 cache; .ca: through it, 4 bytes at a time */
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

#endif
