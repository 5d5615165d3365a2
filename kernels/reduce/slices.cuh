/* slices.cuh: a reduction of slices of memory, one a block, for any associative operation (see
 * 8_slices). An operation has none(), the initial value, and of(a, b). */
#pragma once

#include <stdint.h>

#include "launch.h"
#include "warpbook.h"

template <typename T> struct vector_of;
template <> struct vector_of<float> { typedef float4 type; };
template <> struct vector_of<double> { typedef double2 type; };

constexpr int THREADS = 512, WARPS = THREADS / 32, AT_ONCE = 8;
constexpr size_t LARGEST_SLICE = 32768; /* vectors of 16 bytes */

struct Sum {
    static __device__ float none() {
        return 0;
    }
    template <typename T> static __device__ T of(T a, T b) {
        return a + b;
    }
};

/* An array cut in slices: in[0..head), n_vectors aligned vectors, and fewer than a vector's
 * elements. A slice has `slice` vectors, and each of `blocks` blocks reduces one. */
struct sliced {
    size_t n;
    int head;
    size_t n_vectors, slice, blocks;
};

template <class Op> static __device__ float all_of(float4 v) {
    return Op::of(Op::of(v.x, v.y), Op::of(v.z, v.w));
}
template <class Op> static __device__ double all_of(double2 v) {
    return Op::of(v.x, v.y);
}

template <class Op, typename T> static __device__ T warp_result(T value) {
    for (int step = 16; step > 0; step /= 2)
        value = Op::of(value, __shfl_down_sync(0xffffffff, value, step));
    return value;
}

/* Thread 0 stores the result of all threads' values in *out. */
template <class Op, typename T> static __device__ void block_result(T value, T *out) {
    __shared__ T warps[WARPS];
    value = warp_result<Op>(value);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = warp_result<Op>(threadIdx.x < WARPS ? warps[threadIdx.x] : (T)Op::none());
        if (threadIdx.x == 0)
            *out = value;
    }
}

/* Returns the result of this thread's elements of the block's slice. Block 0 also takes the
 * elements before and after the vectors. */
template <class Op, typename T>
static __device__ T thread_result(const T *__restrict__ in, const sliced &of) {
    typedef typename vector_of<T>::type Vec;
    constexpr int V = 16 / sizeof(T);
    const Vec *vectors = (const Vec *)(in + of.head);
    size_t i = blockIdx.x * of.slice + threadIdx.x, end = (blockIdx.x + 1) * of.slice;
    end = end < of.n_vectors ? end : of.n_vectors;
    T part[AT_ONCE];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        part[j] = Op::none();
    for (; i + (AT_ONCE - 1) * THREADS < end; i += AT_ONCE * THREADS) {
        Vec v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            v[j] = vectors[i + j * THREADS];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] = Op::of(part[j], all_of<Op>(v[j]));
    }
    if (i < end) { /* the last turn also has its loads in flight together */
        union {
            T element[V];
            Vec vec;
        } v[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
#pragma unroll
            for (int e = 0; e < V; e++)
                v[j].element[e] = Op::none();
            if (i + j * THREADS < end)
                v[j].vec = vectors[i + j * THREADS];
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            part[j] = Op::of(part[j], all_of<Op>(v[j].vec));
    }
    size_t rest = of.head + of.n_vectors * V; /* fewer than V elements from here on */
    if (blockIdx.x == 0 && threadIdx.x < of.head)
        part[0] = Op::of(part[0], in[threadIdx.x]);
    if (blockIdx.x == 0 && rest + threadIdx.x < of.n)
        part[1] = Op::of(part[1], in[rest + threadIdx.x]);
#pragma unroll
    for (int step = 1; step < AT_ONCE; step *= 2)
#pragma unroll
        for (int j = 0; j < AT_ONCE; j += 2 * step)
            part[j] = Op::of(part[j], part[j + step]);
    return part[0];
}

/* Cuts an array: as many turns of two slices per SM as needed to stay below the largest slice. All
 * turns are full, and a slice has at least one vector per thread. Up to `alone` vectors are one
 * slice. */
template <typename T> static sliced cut(const T *in, size_t n, size_t alone) {
    const size_t before = (16 - (uintptr_t)in % 16) % 16 / sizeof(T);
    sliced of = {n, (int)(before < n ? before : n), 0, alone, 1};
    of.n_vectors = (n - of.head) / (16 / sizeof(T));
    if (of.n_vectors <= alone)
        return of;
    size_t places = 2 * (size_t)multiprocessors(),
           turns = of.n_vectors / (places * LARGEST_SLICE) + 1;
    size_t slice = (of.n_vectors + places * turns - 1) / (places * turns);
    slice = (slice + 31) / 32 * 32; /* so that each starts on a 128-byte line if the first does */
    of.slice = slice > THREADS ? slice : THREADS;
    of.blocks = (of.n_vectors + of.slice - 1) / of.slice;
    return of;
}
