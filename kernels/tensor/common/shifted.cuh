/* shifted.cuh: loads of 16 bytes from any element's address, by two aligned loads and shifts, and
 * stores to rows that start anywhere. */
#pragma once

#include <stdint.h>

/* Two aligned pieces of 16 bytes that contain the wanted one: it begins `past` bytes after the
 * start of `low`, and its first `bytes` bytes count. The rest is 0. */
struct shifted_piece {
    uint4 low, high;
    unsigned past, bytes;
};

/* Loads `there` elements (at most those of 16 bytes) from `from`, in a matrix that begins at
 * `begin` and ends before `end`. Nothing outside of it is read. `from` may be any address if
 * `there` is not positive. */
template <class T>
static __device__ __forceinline__ shifted_piece load_shifted(const T *from, int there,
                                                             const T *begin, const T *end) {
    constexpr int EACH = 16 / sizeof(T);
    shifted_piece piece = {};
    if (there <= 0)
        return piece;
    const uintptr_t first = (uintptr_t)from / 16 * 16;
    piece.bytes = (unsigned)((there < EACH ? there : EACH) * sizeof(T));
    if (first >= (uintptr_t)begin && first + 32 <= (uintptr_t)end) {
        piece.past = (unsigned)((uintptr_t)from - first);
        piece.low = __ldg((const uint4 *)first);
        piece.high = __ldg((const uint4 *)first + 1);
    } else { /* at the matrix's corners */
        alignas(16) T x[EACH] = {};
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (e < there)
                x[e] = from[e];
        piece.low = *(const uint4 *)x;
    }
    return piece;
}

/* Returns the wanted 16 bytes. */
static __device__ __forceinline__ uint4 shifted(const shifted_piece &of) {
    const uint4 &low = of.low, &high = of.high;
    const bool two = of.past & 8, one = of.past & 4;
    const unsigned a = two ? low.z : low.x, b = two ? low.w : low.y, c = two ? high.x : low.z,
                   d = two ? high.y : low.w, e = two ? high.z : high.x, f = two ? high.w : high.y;
    const unsigned word[5] = {one ? b : a, one ? c : b, one ? d : c, one ? e : d, one ? f : e};
    const unsigned bits = of.past % 4 * 8;
    unsigned out[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        out[i] = __funnelshift_r(word[i], word[i + 1], bits);
        if (of.bytes < 4 * i + 4)
            out[i] =
                of.bytes > 4 * i ? out[i] & 0xffff : 0; /* elements have 2 bytes or whole words */
    }
    return make_uint4(out[0], out[1], out[2], out[3]);
}

/* Returns how many elements before `row` the last multiple of 16 bytes is. */
template <class T> static __device__ __forceinline__ int past_piece(const T *row) {
    return (int)((uintptr_t)row % 16 / sizeof(T));
}

/* Stores a piece at column `col`, a multiple of 16 bytes, of a row of `cols` elements. Those beyond
 * the row's ends are not stored. */
template <class T>
static __device__ __forceinline__ void store_cut(T *row, int col, int cols, const uint4 &piece) {
    constexpr int EACH = 16 / sizeof(T);
    if (col >= 0 && col + EACH <= cols) {
        *(uint4 *)(row + col) = piece;
        return;
    }
    alignas(16) T x[EACH];
    *(uint4 *)x = piece;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (col + e >= 0 && col + e < cols)
            row[col + e] = x[e];
}
