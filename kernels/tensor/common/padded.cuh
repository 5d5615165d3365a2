/* padded.cuh: products of matrices whose rows are not multiples of 16 bytes.
 *
 * The idea: TMA and wgmma need rows of whole 16-byte pieces. One launch copies A and B to such
 * rows, and 18_wgmma_parts multiplies them and stores C as it is. Or C is copied, too, any kernel
 * multiplies, and another launch copies C back. Copies take time in proportion to m k + k n + m n,
 * loads of other rows (11_parts) to m n k. So a cost model chooses.
 *
 * Measured on an H100 with random shapes from 8 to 16384, beside cuBLAS, before 20_shallow, shifted
 * loads and the loose C, and with them: fp16 0.934 -> 1.187 (geometric mean of 2,999 shapes; 95 of
 * 100 at least 0.515 -> 0.817), TF32 1.032 -> 1.104 (1,981; 0.596 -> 0.712). The worst are at 0.4
 * to 0.5: matrices of some ten rows or columns and a deep k, whose other operand is copied. */
#pragma once

#include "cost.cuh"
#include "gemm/shares.cuh"
#include "shifted.cuh"

namespace padded {

enum { THREADS = 256 };

/* C = alpha A B + beta C, row-major: A m x k, B k x n. */
template <class T> struct product {
    const T *A, *B;
    T *C;
    int m, n, k;
    float alpha, beta;
};

/* A dense matrix of rows x cols elements and its padded copy of to_rows x to_cols, filled up with
 * zeros. */
template <class T> struct copy {
    const T *from;
    T *to;
    int rows, cols, to_rows, to_cols;
    long long pieces; /* number of 16-byte pieces in the copy; 0: no copy is needed */
};

template <class T>
static __device__ __forceinline__ void copy_piece(const copy<T> &of, long long piece) {
    constexpr int EACH = 16 / sizeof(T);
    const int each_row = of.to_cols / EACH;
    const int row = (int)(piece / each_row), col = (int)(piece - (long long)row * each_row) * EACH;
    const T *from = of.from + (size_t)row * of.cols + col;
    *(uint4 *)(of.to + (size_t)row * of.to_cols + col) = shifted(load_shifted(
        from, row < of.rows ? of.cols - col : 0, of.from, of.from + (size_t)of.rows * of.cols));
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

/* Copies the first cols elements of each row of from_cols to the dense matrix `to`, one warp a row
 * and AT_ONCE pieces. */
enum { AT_ONCE = 256 };
template <class T>
static __global__ void __launch_bounds__(THREADS)
    bring_back(const T *from, T *to, int rows, int cols, int from_cols) {
    constexpr int EACH = 16 / sizeof(T);
    const int row = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    const T *in = from + (size_t)row * from_cols;
    T *out = to + (size_t)row * cols;
    const int first = blockIdx.y * (AT_ONCE * EACH) - past_piece(out);
    const int end = min(cols - first, AT_ONCE * EACH) + first;
#pragma unroll 4
    for (int col = first + threadIdx.x % 32 * EACH; col < end; col += 32 * EACH) {
        const int before = max(-col, 0); /* the row's first piece may begin before it */
        const shifted_piece piece =
            load_shifted(in + col, before ? 0 : cols - col, from, from + (size_t)rows * from_cols);
        if (before)
            for (int e = before; e < EACH && col + e < cols; e++)
                out[col + e] = in[col + e];
        else
            store_cut(out, col, cols, shifted(piece));
    }
}

static inline int up(int x, int multiple) {
    return (int)(whole(x, multiple) * multiple);
}

/* The cost model, in microseconds: copies take LAUNCH or, if C is among them, LAUNCH_C, and bytes /
 * PACE. If C stays as it is, storing takes longer by loose_store() for each byte. Fitted to 2,000
 * random shapes on an H100, with errors of 8 to 13 %. */
constexpr double LAUNCH = 6.6, LAUNCH_C = 8, PACE = 2.4e6;
template <class T> static constexpr double loose_store() {
    return sizeof(T) == 2 ? 0.8e-6 : 0.36e-6;
}

/* Copies to make. `loose`: C stays as it is, and 18_wgmma_parts stores it. time: of all. */
template <class T> struct plan {
    copy<T> a, b, c;
    int n, k; /* of the padded matrices */
    bool loose;
    double time;
};

/* Plans copies with rows of a multiple of so many elements. */
template <class T> static plan<T> planned(const product<T> &p, int multiple, bool loose) {
    plan<T> is = {};
    is.n = up(p.n, multiple);
    is.k = up(p.k, multiple);
    is.loose = loose;
    auto pieces = [](int rows, int cols) { return (long long)rows * cols / (16 / (int)sizeof(T)); };
    const bool deeper = is.k != p.k, wider = is.n != p.n;
    is.a = {p.A, nullptr, p.m, p.k, p.m, is.k, 0};
    is.b = {p.B, nullptr, p.k, p.n, is.k, is.n, 0};
    is.c = {p.C, nullptr, p.m, p.n, p.m, is.n, 0};
    if (deeper || (uintptr_t)p.A % 16)
        is.a.pieces = pieces(p.m, is.k);
    if (deeper || wider || (uintptr_t)p.B % 16)
        is.b.pieces = pieces(is.k, is.n);
    if (!loose && (wider || (uintptr_t)p.C % 16))
        is.c.pieces = pieces(p.m, is.n);
    const double copied = (double)(is.a.pieces + is.b.pieces + is.c.pieces * (p.beta == 0 ? 1 : 2));
    is.time = 32 * copied / PACE;
    is.time += loose ? LAUNCH + loose_store<T>() * sizeof(T) * p.m * p.n : LAUNCH_C;
    return is;
}

/* Returns the fastest plan. time(n, k) is that of a kernel for aligned rows, loose_time(k) that of
 * 18_wgmma_parts with C as it is. */
template <class T, class Time, class LooseTime>
static plan<T> best_plan(const product<T> &p, Time time, LooseTime loose_time) {
    plan<T> best = {};
    best.time = INFINITY;
    if (p.n > 1 << 26 || p.k > 1 << 26)
        return best;
    auto consider = [&](plan<T> is, double product) {
        is.time += product;
        if (is.time < best.time)
            best = is;
    };
    for (int bytes : {16, 128}) {
        const plan<T> is = planned(p, bytes / (int)sizeof(T), false);
        consider(is, time(is.n, is.k));
    }
    const plan<T> is = planned(p, 16 / (int)sizeof(T), true);
    consider(is, loose_time(is.k));
    return best;
}

/* Calls multiply(A, B, C, n, k) with padded operands. Sets *done to false and launches nothing if
 * there is no memory for them. */
template <class T, class Multiply>
static cudaError_t run(const product<T> &p, plan<T> is, cudaStream_t stream, bool *done,
                       Multiply multiply) {
    const long long all = is.a.pieces + is.b.pieces + is.c.pieces;
    char *memory = (char *)pool_memory((size_t)(all + 1) * 16, stream);
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
        const dim3 grid((unsigned)whole(p.m, THREADS / 32),
                        (unsigned)whole(p.n + 16LL, AT_ONCE * (16 / (int)sizeof(T))));
        bring_back<T><<<grid, THREADS, 0, stream>>>(C, p.C, p.m, p.n, is.n);
        status = cudaGetLastError();
    }
    cudaFreeAsync(memory, stream);
    return status;
}

} // namespace padded
