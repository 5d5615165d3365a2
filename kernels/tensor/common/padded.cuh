/* padded.cuh: products of matrices whose rows are not multiples of 16 bytes.
 *
 * The idea: tensor core kernels load 16 bytes at a time. One launch copies A, B and (if beta is not
 * 0) C to rows of whole 16-byte pieces, a kernel for such rows multiplies, and another launch
 * copies C back. Copies take time in proportion to m k + k n + m n, slow loads to m n k, so a cost
 * model chooses.
 *
 * Predicted: 0.9 of cuBLAS where slow loads reach 0.65. Measured on an H100 with random shapes from
 * 8 to 16384, geometric mean of cuBLAS's time over this one's, before and after: fp16 0.766 ->
 * 0.888 (103 shapes), TF32 0.876 -> 0.979 (160 shapes). With other shapes bf16 0.992 (166), fp16
 * 0.929 (97). The worst are at 0.35 to 0.5: matrices of some ten rows or columns, and a depth of
 * some ten with a large C, which is written twice. */
#ifndef WARPBOOK_PADDED_CUH
#define WARPBOOK_PADDED_CUH

#include <stdint.h>

#include "cost.cuh"
#include "gemm/shares.cuh"

namespace padded {

enum { THREADS = 256 };

/* C = alpha A B + beta C, row-major: A m x k, B k x n. */
template <class T> struct product {
    const T *A, *B;
    T *C;
    int m, n, k;
    float alpha, beta;
};

/* Returns true if rows and pointers are multiples of 16 bytes. */
template <class T> static bool whole_pieces(const product<T> &p) {
    return (p.n | p.k) % (16 / (int)sizeof(T)) == 0 &&
           ((uintptr_t)p.A | (uintptr_t)p.B | (uintptr_t)p.C) % 16 == 0;
}

/* A dense matrix of rows x cols elements and its padded copy of to_rows x to_cols, filled up with
 * zeros. */
template <class T> struct copy {
    const T *from;
    T *to;
    int rows, cols, to_rows, to_cols;
    long long pieces; /* number of 16-byte pieces in the copy; 0: no copy is needed */
};

/* Loads 16 bytes from any element's address, by two aligned loads and shifts. */
static __device__ __forceinline__ uint4 shifted_load(const void *from) {
    const unsigned past = (unsigned)((uintptr_t)from % 16);
    const uint4 *at = (const uint4 *)((uintptr_t)from - past);
    const uint4 low = at[0];
    if (past == 0)
        return low;
    const uint4 high = at[1];
    const bool two = past & 8, one = past & 4;
    const unsigned a = two ? low.z : low.x, b = two ? low.w : low.y, c = two ? high.x : low.z,
                   d = two ? high.y : low.w, e = two ? high.z : high.x, f = two ? high.w : high.y;
    const unsigned v = one ? b : a, w = one ? c : b, x = one ? d : c, y = one ? e : d,
                   z = one ? f : e, bits = past % 4 * 8;
    return make_uint4(__funnelshift_r(v, w, bits), __funnelshift_r(w, x, bits),
                      __funnelshift_r(x, y, bits), __funnelshift_r(y, z, bits));
}

template <class T>
static __device__ __forceinline__ void copy_piece(const copy<T> &of, long long piece) {
    constexpr int EACH = 16 / sizeof(T);
    const int each_row = of.to_cols / EACH;
    const int row = (int)(piece / each_row), col = (int)(piece - (long long)row * each_row) * EACH;
    const int there = row < of.rows ? of.cols - col : 0;
    const T *from = of.from + (size_t)row * of.cols + col;
    alignas(16) T x[EACH] = {};
    const uintptr_t first = (uintptr_t)from / 16 * 16;
    if (there >= EACH && first >= (uintptr_t)of.from &&
        first + 32 <= (uintptr_t)(of.from + (size_t)of.rows * of.cols)) {
        *(uint4 *)x = shifted_load(from);
    } else {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (e < there)
                x[e] = from[e];
    }
    *(uint4 *)(of.to + (size_t)row * of.to_cols + col) = *(const uint4 *)x;
}

template <class T>
static __global__ void __launch_bounds__(THREADS) gather(copy<T> a, copy<T> b, copy<T> c) {
    const long long all = a.pieces + b.pieces + c.pieces, stride = (long long)gridDim.x * THREADS;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < all; i += stride) {
        if (i < a.pieces)
            copy_piece(a, i);
        else if (i < a.pieces + b.pieces)
            copy_piece(b, i - a.pieces);
        else
            copy_piece(c, i - a.pieces - b.pieces);
    }
}

enum { AT_ONCE = 2048 /* columns that a warp copies */ };

/* Copies the first cols elements of each row of from_cols to the dense matrix `to`, one warp a
 * row. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
    bring_back(const T *from, T *to, int rows, int cols, int from_cols) {
    constexpr int PAIR = sizeof(T) == 2 ? 2 : 1; /* 32 bits a store */
    const int lane = threadIdx.x % 32, col0 = blockIdx.y * AT_ONCE;
    const int row = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    const T *in = from + (size_t)row * from_cols;
    T *out = to + (size_t)row * cols;
    const int skip = PAIR == 2 && (uintptr_t)out % 4 ? 1 : 0,
              end = min(cols - col0, (int)AT_ONCE) + col0;
    /* If a row starts between two words, the first pair of each part has one element only. */
#pragma unroll 4
    for (int col = col0 + lane * PAIR - skip; col < end; col += 32 * PAIR) {
        if (PAIR == 2 && col >= col0 && col + 1 < end) {
            alignas(4) T two[2] = {in[col], in[col + 1]};
            *(uint32_t *)(out + col) = *(const uint32_t *)two;
        } else {
            for (int e = 0; e < PAIR; e++)
                if (col + e >= col0 && col + e < end)
                    out[col + e] = in[col + e];
        }
    }
}

static inline int up(int x, int multiple) {
    return (int)(whole(x, multiple) * multiple);
}

/* The cost model, in microseconds: copies take LAUNCHES and bytes / PACE. slowed() gives the time
 * of tiles and parts (11_parts) with unaligned rows from their time with aligned ones. Fitted to
 * 114 random shapes on an H100 with a mean error of 12 %. The choice takes 1 to 4 % longer than the
 * faster one (geometric mean). */
constexpr double LAUNCHES = 6, PACE = 2.4e6, START = 4, BASE = 3;
template <class T> static double slowed(const product<T> &p, double time) {
    const bool words = ((p.n | p.k) * sizeof(T) | (uintptr_t)p.A | (uintptr_t)p.B) % 4 == 0;
    return BASE + (time - START) * (sizeof(T) == 4 ? 2.0 : words ? 1.8 : 3.1);
}

template <class T> struct plan {
    copy<T> a, b, c;
    int n, k; /* of the padded matrices */
    double time;
};

/* Plans copies with rows of a multiple of so many elements. */
template <class T> static plan<T> planned(const product<T> &p, int multiple) {
    plan<T> is = {};
    is.n = up(p.n, multiple);
    is.k = up(p.k, multiple);
    auto pieces = [](int rows, int cols) { return (long long)rows * cols / (16 / (int)sizeof(T)); };
    const bool deeper = is.k != p.k, wider = is.n != p.n;
    is.a = {p.A, nullptr, p.m, p.k, p.m, is.k, 0};
    is.b = {p.B, nullptr, p.k, p.n, is.k, is.n, 0};
    is.c = {p.C, nullptr, p.m, p.n, p.m, is.n, 0};
    if (deeper || (uintptr_t)p.A % 16)
        is.a.pieces = pieces(p.m, is.k);
    if (deeper || wider || (uintptr_t)p.B % 16)
        is.b.pieces = pieces(is.k, is.n);
    if (wider || (uintptr_t)p.C % 16)
        is.c.pieces = pieces(p.m, is.n);
    is.time =
        LAUNCHES +
        32.0 * (double)(is.a.pieces + is.b.pieces + is.c.pieces * (p.beta == 0 ? 1 : 2)) / PACE;
    return is;
}

/* Calls multiply(A, B, C, n, k) with padded operands. Sets *done to false and launches nothing if
 * there is no memory for them. */
template <class T, class Multiply>
static cudaError_t run(const product<T> &p, plan<T> is, int device, cudaStream_t stream, bool *done,
                       Multiply multiply) {
    const long long all = is.a.pieces + is.b.pieces + is.c.pieces;
    char *memory = (char *)pool_memory((size_t)all * 16, device, stream);
    *done = memory != nullptr;
    if (!memory)
        return cudaSuccess;
    is.a.to = (T *)memory;
    is.b.to = (T *)(memory + is.a.pieces * 16);
    is.c.to = (T *)(memory + (is.a.pieces + is.b.pieces) * 16);
    const T *A = is.a.pieces ? is.a.to : p.A, *B = is.b.pieces ? is.b.to : p.B;
    T *C = is.c.pieces ? is.c.to : p.C;
    copy<T> c = is.c;
    if (p.beta == 0)
        c.pieces = 0; /* C is not read then (the BLAS rule) */
    const long long blocks = whole(is.a.pieces + is.b.pieces + c.pieces, THREADS * 2);
    cudaError_t status = cudaSuccess;
    if (blocks > 0) {
        gather<T><<<(unsigned)(blocks < 1 << 20 ? blocks : 1 << 20), THREADS, 0, stream>>>(is.a,
                                                                                           is.b, c);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess)
        status = multiply(A, B, C, is.n, is.k);
    if (status == cudaSuccess && is.c.pieces) {
        const dim3 grid((unsigned)whole(p.m, THREADS / 32), (unsigned)whole(p.n, AT_ONCE));
        bring_back<T><<<grid, THREADS, 0, stream>>>(C, p.C, p.m, p.n, is.n);
        status = cudaGetLastError();
    }
    cudaFreeAsync(memory, stream);
    return status;
}

/* Pads rows to multiples of 16 or 128 bytes, whichever is faster, and calls multiply(A, B, C, n,
 * k), if that takes less time than tiles and parts do. `slow` is their time with aligned rows, and
 * time(n, k) that of multiply. *done tells whether it did. */
template <class T, class Time, class Multiply>
static cudaError_t multiply_if_faster(const product<T> &p, double slow, int device,
                                      cudaStream_t stream, bool *done, Time time,
                                      Multiply multiply) {
    *done = false;
    if (p.n > 1 << 26 || p.k > 1 << 26)
        return cudaSuccess;
    plan<T> narrow = planned(p, 16 / sizeof(T)), wide = planned(p, 128 / sizeof(T));
    const double of_narrow = narrow.time + time(narrow.n, narrow.k);
    const double of_wide = wide.time + time(wide.n, wide.k);
    if (fmin(of_narrow, of_wide) >= slowed(p, slow))
        return cudaSuccess;
    return run(p, of_wide < of_narrow ? wide : narrow, device, stream, done, multiply);
}

} // namespace padded

#endif
