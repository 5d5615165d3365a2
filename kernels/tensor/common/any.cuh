/* any.cuh: the core of the tensor-core rungs for any shape. One block multiplies one tile of C, or
 * its part of the steps of k, with mma.sync. Asynchronous copies keep a ring of tiles of A and B in
 * shared memory filled. One source for bf16, fp16 and TF32.
 * - A step is DEPTH bytes of A's rows. Pieces of 16 bytes are swizzled, so that the eight rows of a
 *   matrix for ldmatrix are in different banks.
 * - B is stored by rows. For 16-bit elements ldmatrix.trans transposes it. Floats are read one by
 *   one from rows that are 8 banks apart.
 * - Copies have 16 bytes if rows of A and B start at multiples of that, else 4. Odd rows of 16-bit
 *   elements pass through registers, where 16 bytes are shifted (shifted.cuh).
 * - Slices: several warps divide the depth of each step, and shared memory adds their sums.
 * - Parts: several blocks divide the steps and store their sums in memory. A second kernel, which
 *   starts early (overlap.h), adds them in the order of the parts. So every call gives the same
 *   bits. */
#pragma once

#include <cuda_fp16.h>
#include <type_traits>

#include "overlap.h"
#include "shifted.cuh"
#include "tensor.cuh"

/* The type of sums. */
template <class T> struct sum_type { typedef float type; };
template <> struct sum_type<double> { typedef double type; };
template <class T> using sum_of = typename sum_type<T>::type;

/* C = alpha A B + beta C, row-major: A m x k, B k x n. In a batch, these are the first product's,
 * and a_on, b_on and c_on are the distances in elements to the next. 0 for A or B: shared by
 * all. */
template <class T> struct product {
    const T *__restrict__ A;
    const T *__restrict__ B;
    T *C;
    int m, n, k;
    sum_of<T> alpha, beta;
    int batch = 1;
    long long a_on = 0, b_on = 0, c_on = 0;
};

/* Returns this block's product of the batch; blockIdx.y is its index. */
template <class T> static __device__ __forceinline__ product<T> product_of(product<T> p) {
    p.A += blockIdx.y * p.a_on;
    p.B += blockIdx.y * p.b_on;
    p.C += blockIdx.y * p.c_on;
    return p;
}

/* 16 bytes of adjacent sums. */
template <class T> struct alignas(16) sums_of {
    enum { N = 16 / sizeof(sum_of<T>) };
    sum_of<T> x[N];
    __device__ __forceinline__ void operator+=(const sums_of &other) {
#pragma unroll
        for (int e = 0; e < N; e++)
            x[e] += other.x[e];
    }
};

/* Sizes of tiles: the block's ROWS x COLS, DEPTH bytes per step; its warps DOWN x ACROSS, times
 * SLICES; BLOCKS that fit on a multiprocessor at once; DOUBLES: depth of an instruction for
 * doubles, 8 or 16. */
template <int ROWS_, int COLS_, int DEPTH_, int DOWN_, int ACROSS_, int SLICES_, int STAGES_,
          int BLOCKS_, int DOUBLES_ = 8>
struct tile {
    static constexpr int ROWS = ROWS_, COLS = COLS_, DEPTH = DEPTH_, SLICES = SLICES_;
    static constexpr int DOWN = DOWN_, ACROSS = ACROSS_, STAGES = STAGES_, BLOCKS = BLOCKS_;
    static constexpr int DOUBLES = DOUBLES_;
    static constexpr int WARPS = DOWN * ACROSS, THREADS = WARPS * SLICES * 32;
    static constexpr int WARP_ROWS = ROWS / DOWN, WARP_COLS = COLS / ACROSS;

    static constexpr int PITCH = COLS + 8; /* between rows of sums */
    static_assert(WARP_ROWS % 16 == 0 && WARP_COLS % 8 == 0, "whole instructions");
};

/* A tile's layout in shared memory for elements of type T. */
template <class T, class S> struct layout {
    static constexpr int EACH = 16 / sizeof(T);       /* elements of a piece */
    static constexpr int STEP = S::DEPTH / sizeof(T); /* of k */
    /* depth of an instruction; instructions per slice along k */
    static constexpr int AT_ONCE = sizeof(T) == 8 ? S::DOUBLES : 32 / sizeof(T);
    static constexpr int DEEP = STEP / AT_ONCE / S::SLICES;
    /* a lane's words for 16 rows of A at that depth; for 8 columns of B half as many */
    static constexpr int A_WORDS = sizeof(T) == 8 ? AT_ONCE / 2 : 4;
    static_assert(DEEP > 0, "slices of whole instructions");
    static constexpr int A_PIECES = S::DEPTH / 16, B_PIECES = S::COLS / EACH;
    static constexpr bool TURNS = sizeof(T) == 2;   /* ldmatrix transposes B */
    static constexpr bool BY_WORD = sizeof(T) == 8; /* A cannot use ldmatrix either */
    static constexpr int A_PITCH = S::DEPTH + (BY_WORD ? 32 : 0), A_BYTES = S::ROWS * A_PITCH;
    static constexpr int B_PITCH = S::COLS * sizeof(T) + (TURNS ? 0 : 32);
    static constexpr int STAGE = A_BYTES + STEP * B_PITCH, RING = STAGE * S::STAGES;
    static constexpr int SUMS = S::SLICES * S::ROWS * S::PITCH * sizeof(sum_of<T>);
    static constexpr int SHARED = RING > SUMS ? RING : SUMS;
    /* Returns the place of piece p in row r for rows of `pieces` pieces. */
    static __host__ __device__ __forceinline__ constexpr int swizzled(int pieces, int row, int p) {
        return pieces >= 8 ? p ^ (row & 7) : p ^ (row / (8 / pieces) & (pieces - 1));
    }
    static __device__ __forceinline__ int a_at(int row, int p) {
        return row * A_PITCH + (BY_WORD ? p : swizzled(A_PIECES, row, p)) * 16;
    }
    static __device__ __forceinline__ int b_at(int row, int p) {
        return A_BYTES + row * B_PITCH + (TURNS ? swizzled(B_PIECES, row, p) : p) * 16;
    }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

static __device__ __forceinline__ uint32_t address_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Copies BYTES (4, 8 or 16) from global to shared memory; zeros unless `there`. */
template <int BYTES>
static __device__ __forceinline__ void copy_async(uint32_t to, const void *from, bool there) {
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(there ? 16 : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from),
                     "r"(there ? BYTES : 0), "n"(BYTES)
                     : "memory");
}
/* Copies a piece by words (doubles: by elements); its first `there` elements are in the matrix. */
template <class T>
static __device__ __forceinline__ void copy_words(uint32_t to, const T *from, const T *matrix,
                                                  int there) {
    constexpr int BYTES = sizeof(T) == 8 ? 8 : 4;
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e += BYTES / sizeof(T))
        copy_async<BYTES>(to + e * sizeof(T), e < there ? from + e : matrix, e < there);
}
static __device__ __forceinline__ void store_piece(uint32_t to, const uint4 &piece) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(piece.x), "r"(piece.y),
                 "r"(piece.z), "r"(piece.w)
                 : "memory");
}

static __device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
}
static __device__ __forceinline__ void load_turned(uint32_t (&r)[4], uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
}
static __device__ __forceinline__ void load_turned(uint32_t &r0, uint32_t &r1, uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(row));
}
/* Returns a float's leading 11 significant bits, rounded to nearest. */
static __device__ __forceinline__ uint32_t to_tf32(uint32_t bits) {
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
    return rounded;
}
static __device__ __forceinline__ void load_word(uint32_t &word, uint32_t from) {
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from));
    word = to_tf32(word);
}
static __device__ __forceinline__ void load_word(double &word, uint32_t from) {
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(word) : "r"(from));
}

#define MULTIPLY(T, KIND, DEEP)                                                                    \
    static __device__ __forceinline__ void multiply(T, float(&d)[4], const uint32_t(&a)[4],        \
                                                    const uint32_t(&b)[2]) {                       \
        asm volatile("mma.sync.aligned.m16n8" DEEP ".row.col.f32." KIND "." KIND ".f32 "           \
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"             \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                              \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));          \
    }
MULTIPLY(__nv_bfloat16, "bf16", "k16")
MULTIPLY(__half, "f16", "k16")
MULTIPLY(float, "tf32", "k8")
#undef MULTIPLY

/* 16 x 8 x 8 and 16 x 8 x 16 of double. Before 9.0 they use instructions of 8 x 8 x 4. */
template <int N>
static __device__ __forceinline__ void multiply(double, double (&d)[4], const double (&a)[N],
                                                const double (&b)[N / 2]) {
#if __CUDA_ARCH__ >= 900
    if constexpr (N == 8)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
                       "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    else
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile(
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(d[i % 2 * 2]), "+d"(d[i % 2 * 2 + 1])
            : "d"(a[i]), "d"(b[i / 2]));
#endif
}

/* A warp's sums of a tile. The first two of four are in row lane / 4, the others 8 rows below. */
template <class T, class S> using tile_sums = sum_of<T>[S::WARP_ROWS / 16][S::WARP_COLS / 8][4];
/* A lane's operands: 4 bytes, or a double. */
template <class T> using word_of = std::conditional_t<sizeof(T) == 8, double, uint32_t>;

/* sum += a step's tiles at `stage`, for this warp's rows, columns and slice. */
template <class T, class S>
static __device__ __forceinline__ void multiply_stage(uint32_t stage, int row, int col, int slice,
                                                      tile_sums<T, S> &sum) {
    typedef layout<T, S> L;
    constexpr int DOWN = S::WARP_ROWS / 16, ACROSS = S::WARP_COLS / 8;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int deep = 0; deep < L::DEEP; deep++) {
        const int at = slice * L::DEEP + deep; /* index in the step's instructions */
        word_of<T> a[DOWN][L::A_WORDS], b[ACROSS][L::A_WORDS / 2];
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
            if constexpr (L::BY_WORD) {
                uint32_t from = stage + (row + 16 * i + lane / 4) * L::A_PITCH +
                                (at * L::AT_ONCE + lane % 4) * 8;
#pragma unroll
                for (int e = 0; e < L::A_WORDS; e++)
                    load_word(a[i][e], from + e % 2 * 8 * L::A_PITCH + e / 2 * 32);
            } else
                load_matrices(a[i], stage + L::a_at(row + 16 * i + lane % 16, at * 2 + lane / 16));
            if constexpr (sizeof(T) == 4)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    a[i][e] = to_tf32(a[i][e]);
        }
        if constexpr (L::TURNS && ACROSS == 1)
            load_turned(b[0][0], b[0][1], stage + L::b_at(at * 16 + lane % 16, col / 8));
        else if constexpr (L::TURNS) {
#pragma unroll
            for (int j = 0; j < ACROSS; j += 2) {
                uint32_t four[4];
                load_turned(four,
                            stage + L::b_at(at * 16 + lane % 16, (col + 8 * j) / 8 + lane / 16));
                b[j][0] = four[0], b[j][1] = four[1], b[j + 1][0] = four[2], b[j + 1][1] = four[3];
            }
        } else {
            uint32_t from = stage + L::A_BYTES + (at * L::AT_ONCE + lane % 4) * L::B_PITCH +
                            (col + lane / 4) * sizeof(T);
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
#pragma unroll
                for (int e = 0; e < L::A_WORDS / 2; e++)
                    load_word(b[j][e], from + 8 * sizeof(T) * j + 4 * e * L::B_PITCH);
        }
#pragma unroll
        for (int i = 0; i < DOWN; i++)
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                multiply(T(), sum[i][j], a[i], b[j]);
    }
}

/* A thread's pieces of each step of a tile: PIECES of A and then of B. */
template <class T, class S> struct pieces_of {
    typedef layout<T, S> L;
    static constexpr int A_ROWS = S::THREADS / L::A_PIECES, B_ROWS = S::THREADS / L::B_PIECES;
    static constexpr int A_PASSES = (S::ROWS + A_ROWS - 1) / A_ROWS;
    static constexpr int B_PASSES = (L::STEP + B_ROWS - 1) / B_ROWS;
    static constexpr int PIECES = A_PASSES + B_PASSES;
    const product<T> &p;
    const int a_row = threadIdx.x / L::A_PIECES, a_piece = threadIdx.x % L::A_PIECES;
    const int b_row = threadIdx.x / L::B_PIECES, b_piece = threadIdx.x % L::B_PIECES;
    const int b_col, a_left;
    int a_col, b_first;
    const T *a_from, *b_from;

    __device__ __forceinline__ pieces_of(const product<T> &p, int row0, int col0, int step)
        : p(p), b_col(col0 + b_piece * L::EACH), a_left(p.m - row0 - a_row),
          a_col(step * L::STEP + a_piece * L::EACH), b_first(step * L::STEP + b_row),
          a_from(p.A + (size_t)(row0 + a_row) * p.k + a_col),
          b_from(p.B + (size_t)b_first * p.n + b_col) {
    }

    /* Calls visit(nth, place, from, there, matrix, end) for each piece of the current step: its
     * place in the stage; its address, and how many elements from there on are in the row; its
     * matrix's first and last address. */
    template <class Visit> __device__ __forceinline__ void each(Visit visit) const {
#pragma unroll
        for (int e = 0; e < A_PASSES; e++) {
            const int row = a_row + e * A_ROWS;
            if (S::ROWS % A_ROWS != 0 && row >= S::ROWS)
                break;
            const bool there = e * A_ROWS < a_left && a_col < p.k;
            visit(e, L::a_at(row, a_piece), there ? a_from + e * ((size_t)A_ROWS * p.k) : p.A,
                  there ? p.k - a_col : 0, p.A, p.A + (size_t)p.m * p.k);
        }
#pragma unroll
        for (int e = 0; e < B_PASSES; e++) {
            const int row = b_row + e * B_ROWS;
            if (L::STEP % B_ROWS != 0 && row >= L::STEP)
                break;
            const bool there = b_first + e * B_ROWS < p.k && b_col < p.n;
            visit(A_PASSES + e, L::b_at(row, b_piece),
                  there ? b_from + e * ((size_t)B_ROWS * p.n) : p.B, there ? p.n - b_col : 0, p.B,
                  p.B + (size_t)p.k * p.n);
        }
    }
    __device__ __forceinline__ void next() {
        a_from += L::STEP, a_col += L::STEP;
        b_from += (size_t)L::STEP * p.n, b_first += L::STEP;
    }
};

/* sum = the tile of A B at (row0, col0) over the steps [step, end) of k, for a warp's slice.
 * Asynchronous copies are STAGES - 1 steps ahead. With ANYWHERE registers hold the next step,
 * because its pieces must be shifted. */
template <class T, class S, row_starts STARTS>
static __device__ __forceinline__ void multiply_tile(const product<T> &p, int row0, int col0,
                                                     int step, int end, uint32_t ring,
                                                     tile_sums<T, S> &sum) {
    typedef layout<T, S> L;
    typedef pieces_of<T, S> Pieces;
    constexpr bool HELD = STARTS == ANYWHERE;
    constexpr int AHEAD = HELD ? 1 : S::STAGES - 1;
    const int steps = end - step;
    Pieces pieces(p, row0, col0, step);
    shifted_piece held[HELD ? Pieces::PIECES : 1];
    auto fetch = [&](uint32_t stage) {
        pieces.each([&](int nth, int place, const T *from, int there, const T *matrix,
                        const T *matrix_end) {
            if constexpr (STARTS == AT_PIECES)
                copy_async<16>(stage + place, from, there > 0);
            else if constexpr (STARTS == AT_WORDS)
                copy_words(stage + place, from, matrix, there);
            else
                held[nth] = load_shifted(from, there, matrix, matrix_end);
        });
        pieces.next();
    };
    auto put_away = [&](uint32_t stage) {
        if constexpr (HELD)
            pieces.each([&](int nth, int place, const T *, int, const T *, const T *) {
                store_piece(stage + place, shifted(held[nth]));
            });
    };

#pragma unroll
    for (int s = 0; s < AHEAD; s++) {
        if (s < steps) {
            fetch(ring + s * L::STAGE);
            put_away(ring + s * L::STAGE);
        }
        asm volatile("cp.async.commit_group;");
    }
    const int warp = threadIdx.x / 32 % S::WARPS, slice = threadIdx.x / 32 / S::WARPS;
    const int row = warp / S::ACROSS * S::WARP_ROWS, col = warp % S::ACROSS * S::WARP_COLS;
    uint32_t read_at = 0, write_at = AHEAD * L::STAGE;
    auto after = [](uint32_t at) { return at + L::STAGE == L::RING ? 0 : at + L::STAGE; };
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        const bool more = s + AHEAD < steps;
        asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
        __syncthreads(); /* all have this step's tiles, and have read those at `write_at` */
        if (more)
            fetch(ring + write_at);
        asm volatile("cp.async.commit_group;"); /* empty groups count too */
        multiply_stage<T, S>(ring + read_at, row, col, slice, sum);
        if (more)
            put_away(ring + write_at);
        write_at = after(write_at);
        read_at = after(read_at);
    }
}

/* Stores a warp's sums in shared memory, where each slice has its own ROWS x PITCH. */
template <class T, class S>
static __device__ __forceinline__ void put_sums(sum_of<T> *sums, const tile_sums<T, S> &sum) {
    const int warp = threadIdx.x / 32 % S::WARPS, slice = threadIdx.x / 32 / S::WARPS;
    const int lane = threadIdx.x % 32;
    struct alignas(2 * sizeof(sum_of<T>)) pair {
        sum_of<T> x, y;
    };
    sum_of<T> *to = sums + slice * S::ROWS * S::PITCH +
                    (warp / S::ACROSS * S::WARP_ROWS + lane / 4) * S::PITCH +
                    warp % S::ACROSS * S::WARP_COLS + lane % 4 * 2;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads(); /* the ring is free for other use */
#pragma unroll
    for (int i = 0; i < S::WARP_ROWS / 16; i++)
#pragma unroll
        for (int j = 0; j < S::WARP_COLS / 8; j++)
#pragma unroll
            for (int half = 0; half < 2; half++)
                *(pair *)&to[(16 * i + 8 * half) * S::PITCH + 8 * j] = {sum[i][j][2 * half],
                                                                        sum[i][j][2 * half + 1]};
}

#endif

/* Stores alpha v + beta C at `row` from column `col` on, rounded once. */
template <class T, bool VEC>
static __device__ __forceinline__ void store_some(const product<T> &p, int row, int col,
                                                  const sums_of<T> &v) {
    constexpr int N = sums_of<T>::N;
    if (row >= p.m || col >= p.n)
        return;
    T *to = &p.C[(size_t)row * p.n + col];
    if constexpr (VEC) {
        struct alignas(N * sizeof(T)) some {
            T x[N];
        } out, was;
        if (p.beta != 0)
            was = *(const some *)to;
#pragma unroll
        for (int e = 0; e < N; e++)
            out.x[e] = T(p.alpha * v.x[e] + (p.beta == 0 ? 0 : p.beta * sum_of<T>(was.x[e])));
        *(some *)to = out;
    } else {
        struct alignas(2 * sizeof(T)) pair {
            T x[2];
        } out[N / 2];
#pragma unroll
        for (int e = 0; e < N; e++)
            if (col + e < p.n)
                out[e / 2].x[e % 2] =
                    T(p.alpha * v.x[e] + (p.beta == 0 ? 0 : p.beta * sum_of<T>(to[e])));
        const bool whole = (uintptr_t)to % sizeof(pair) == 0;
#pragma unroll
        for (int e = 0; e < N; e += 2) {
            if (whole && col + e + 1 < p.n) {
                *(pair *)(to + e) = out[e / 2];
            } else {
                for (int each = e; each < e + 2 && col + each < p.n; each++)
                    to[each] = out[e / 2].x[each % 2];
            }
        }
    }
}

template <class S> static __host__ __device__ __forceinline__ int tiles_down(int m) {
    return (m - 1) / S::ROWS + 1;
}
template <class S> static __host__ __device__ __forceinline__ int tiles_across(int n) {
    return (n - 1) / S::COLS + 1;
}

/* Returns the place of tile number `nth`: bands of 8 tile rows, down each column of a band. */
static __device__ __forceinline__ int2 place_of(int nth, int down, int across) {
    constexpr int BAND = 8;
    int first = nth / (BAND * across) * BAND, within = nth - first * across;
    int height = min(BAND, down - first);
    return first + BAND <= down ? make_int2(first + within % BAND, within / BAND)
                                : make_int2(first + within % height, within / height);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

/* Adds the block's sums of all slices from shared memory at `mine`, where some threads may still be
 * storing them. Writes to C, or a part to `sums`, ROWS x COLS per block. */
template <class T, class S, bool VEC>
static __device__ __forceinline__ void leave_sums(const product<T> &p, int row0, int col0,
                                                  sum_of<T> *mine, sum_of<T> *sums) {
    typedef sums_of<T> some;
    constexpr int ACROSS = S::COLS / some::N, ALL = S::ROWS * ACROSS, SLICE = S::ROWS * S::PITCH;
    __syncthreads();
    sum_of<T> *to = sums + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * (S::ROWS * S::COLS);
#pragma unroll 2
    for (int i = threadIdx.x; i < ALL; i += S::THREADS) {
        const sum_of<T> *from = mine + i / ACROSS * S::PITCH + i % ACROSS * some::N;
        some v = *(const some *)from;
#pragma unroll
        for (int slice = 1; slice < S::SLICES; slice++)
            v += *(const some *)&from[slice * SLICE];
        if (sums)
            __stcg((float4 *)to + i, *(const float4 *)&v);
        else
            store_some<T, VEC>(p, row0 + i / ACROSS, col0 + i % ACROSS * some::N, v);
    }
}

#endif

/* One block: a part of the steps of a tile in a product of the batch. leave_sums() stores it. */
template <class T, class S, row_starts STARTS>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    gemm_any(const product<T> all, int parts, sum_of<T> *sums) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const product<T> p = product_of(all);
    extern __shared__ __align__(128) char any_ring[];
    const int nth = blockIdx.x / parts, part = blockIdx.x - nth * parts;
    const int steps = (p.k - 1) / layout<T, S>::STEP + 1;
    int2 place = place_of(nth, tiles_down<S>(p.m), tiles_across<S>(p.n));
    const int row0 = place.x * S::ROWS, col0 = place.y * S::COLS;
    tile_sums<T, S> sum = {};
    multiply_tile<T, S, STARTS>(p, row0, col0, (int)((long long)steps * part / parts),
                                (int)((long long)steps * (part + 1) / parts), address_of(any_ring),
                                sum);
    if (sums)
        overlap_next();
    put_sums<T, S>((sum_of<T> *)any_ring, sum);
    leave_sums<T, S, STARTS == AT_PIECES>(p, row0, col0, (sum_of<T> *)any_ring, sums);
#endif
}

enum { ADDERS = 128 };

/* Computes C from the parts' sums: four results per thread, for tiles of rows x cols in turn. */
template <class T, bool VEC>
static __global__ void __launch_bounds__(ADDERS)
    add_parts(const product<T> all, int rows, int cols, int parts, const sum_of<T> *sums) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const product<T> p = product_of(all);
    const int down = (p.m - 1) / rows + 1, across = (p.n - 1) / cols + 1, size = rows * cols;
    const size_t id = ((size_t)blockIdx.x * ADDERS + threadIdx.x) * sums_of<T>::N;
    const int nth = (int)(id / size), at = (int)(id % size);
    if (nth >= down * across)
        return;
    int2 place = place_of(nth, down, across);
    const int row = place.x * rows + at / cols, col = place.y * cols + at % cols;
    if (row >= p.m || col >= p.n)
        return;
    const sum_of<T> *from = sums + ((size_t)blockIdx.y * down * across + nth) * parts * size + at;
    sums_of<T> v = {};
    overlap_wait();
#pragma unroll 8
    for (int part = 0; part < parts; part++, from += size) {
        float4 bits = __ldcg((const float4 *)from);
        v += *(const sums_of<T> *)&bits;
    }
    store_some<T, VEC>(p, row, col, v);
#endif
}
