/* parts.cuh: launchers of the rungs for any shape: kinds of tiles for any.cuh, and the choice among
 * them and of the number of parts of k by cost.cuh. */
#pragma once

#include "any.cuh"
#include "cost.cuh"
#include "gemm/shares.cuh"

/* A kind of tiles. ANY_ROWS: also for rows that start anywhere, which few kinds support, because
 * the code is large. */
template <class S, bool ANY_ROWS_ = false> struct kind_of {
    typedef S tiles;
    static constexpr bool ANY_ROWS = ANY_ROWS_;
};
template <class... Kinds> struct kind_list { static constexpr int COUNT = sizeof...(Kinds); };

/* A type's kinds. The first supports rows that start anywhere. For doubles fewer blocks fit on a
 * multiprocessor. */
template <class T> struct kinds_for {
    typedef kind_list<
        kind_of<tile<16, 32, 256, 1, 1, 4, 4, 4>, true>,
        kind_of<tile<64, 64, 128, 2, 2, 1, 4, 3>, true>, kind_of<tile<64, 128, 128, 2, 2, 1, 3, 3>>,
        kind_of<tile<32, 64, 128, 1, 2, 2, 4, 4>>, kind_of<tile<32, 32, 256, 1, 1, 4, 4, 3>>,
        kind_of<tile<64, 16, 256, 1, 1, 4, 4, 2>>, kind_of<tile<16, 32, 256, 1, 1, 4, 8, 2>>>
        all;
};
template <> struct kinds_for<float> {
    typedef kind_list<
        kind_of<tile<16, 32, 256, 1, 1, 4, 4, 4>, true>,
        kind_of<tile<64, 64, 128, 2, 2, 1, 4, 3>, true>, kind_of<tile<64, 128, 128, 2, 2, 1, 3, 3>>,
        kind_of<tile<32, 64, 128, 1, 2, 2, 4, 4>>, kind_of<tile<32, 32, 256, 1, 1, 4, 4, 3>>,
        kind_of<tile<64, 16, 256, 1, 1, 4, 4, 2>>>
        all;
};
template <> struct kinds_for<double> {
    typedef kind_list<
        kind_of<tile<16, 32, 256, 1, 1, 4, 4, 4>, true>,
        kind_of<tile<64, 64, 128, 2, 2, 1, 3, 3, 16>, true>,
        kind_of<tile<32, 64, 128, 1, 2, 2, 4, 3>>, kind_of<tile<32, 32, 256, 1, 1, 4, 4, 3>>,
        kind_of<tile<64, 16, 256, 1, 1, 4, 4, 2>>, kind_of<tile<16, 32, 256, 1, 1, 4, 7, 2>>>
        all;
};
enum { MOST_PARTS = 512 };

/* The second kernel: computes C from the parts' sums in pool memory, ROWS x COLS per block, and
 * frees that memory. Launches nothing if `status` is an error. */
template <class T, class S, bool VEC>
static cudaError_t add_and_free(const product<T> &p, int parts, sum_of<T> *sums, cudaError_t status,
                                cudaStream_t stream) {
    const size_t numbers = (size_t)tiles_down<S>(p.m) * tiles_across<S>(p.n) * (S::ROWS * S::COLS);
    const dim3 blocks((unsigned)((numbers / sums_of<T>::N - 1) / ADDERS + 1), p.batch);
    if (status == cudaSuccess)
        status = launch_overlapped(add_parts<T, VEC>, blocks, ADDERS, stream, p, (int)S::ROWS,
                                   (int)S::COLS, parts, (const sum_of<T> *)sums);
    cudaFreeAsync(sums, stream);
    return status;
}

template <class T, class S, row_starts STARTS>
static cudaError_t run_parts(const product<T> &p, int parts, cudaStream_t stream) {
    constexpr int SHARED = layout<T, S>::SHARED;
    auto *kernel = gemm_any<T, S, STARTS>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    if (status != cudaSuccess)
        return status;
    const int tiles = tiles_down<S>(p.m) * tiles_across<S>(p.n);
    const size_t numbers = (size_t)tiles * (S::ROWS * S::COLS);
    sum_of<T> *sums = nullptr;
    if (parts > 1 &&
        !(sums = (sum_of<T> *)pool_memory(p.batch * numbers * parts * sizeof *sums, stream)))
        parts = 1; /* slower, but also correct */
    const dim3 grid(tiles * parts, p.batch);
    kernel<<<grid, S::THREADS, SHARED, stream>>>(p, parts, sums);
    status = cudaGetLastError();
    return sums ? add_and_free<T, S, STARTS == AT_PIECES>(p, parts, sums, status, stream) : status;
}

template <class T, class Kind>
static cudaError_t run_kind(const product<T> &p, row_starts starts, int parts,
                            cudaStream_t stream) {
    typedef typename Kind::tiles S;
    if constexpr (Kind::ANY_ROWS && sizeof(T) == 2)
        if (starts == ANYWHERE)
            return run_parts<T, S, ANYWHERE>(p, parts, stream);
    if constexpr (Kind::ANY_ROWS)
        if (starts != AT_PIECES)
            return run_parts<T, S, AT_WORDS>(p, parts, stream);
    return run_parts<T, S, AT_PIECES>(p, parts, stream);
}

/* The model's times of a type, and of each of its N kinds. Where rows do not start at pieces: how
 * many times as long memory takes, and the times of the first kinds, those for ANY_ROWS. */
enum { LOOSE_KINDS = 2 };
struct loose_times {
    double memory;
    tile_times kinds[LOOSE_KINDS];
};
template <int N> struct times_of {
    type_times type;
    tile_times kinds[N];
    loose_times words, anywhere;
};
template <class T> using known_times = times_of<kinds_for<T>::all::COUNT>;

template <class T, class S> static kind_sizes sizes_of() {
    return {S::ROWS, S::COLS, layout<T, S>::STEP, S::BLOCKS, (int)sizeof(sum_of<T>)};
}

struct chosen_tiles {
    double time;
    int kind, parts;
};

/* Returns the next number of parts to try after `parts`: enough for another quarter of a full round
 * of blocks, up to three rounds and the number of steps. Returns 0 if there is none. */
static inline long long more_parts(const kind_sizes &kind, int m, int n, int k, int batch,
                                   int processors, long long parts, int *quarter) {
    const long long tiles = whole(m, kind.rows) * whole(n, kind.cols) * batch;
    const long long most = whole(k > 0 ? k : 1, kind.step);
    while (++*quarter <= 12) {
        long long next = (long long)processors * kind.resident * *quarter / 4 / tiles;
        next = next < most ? next : most;
        next = next < MOST_PARTS ? next : (long long)MOST_PARTS;
        if (next > parts)
            return next;
    }
    return 0;
}

/* Chooses the nth kind of tiles if it is cheaper in any number of parts. */
static inline void consider(chosen_tiles *best, const type_times &type, const tile_times &times,
                            int nth, const kind_sizes &sizes, int element, int m, int n, int k,
                            int batch, int processors) {
    int quarter = 0;
    for (long long s = 1; s > 0; s = more_parts(sizes, m, n, k, batch, processors, s, &quarter)) {
        double time = parts_time(type, times, sizes, element, m, n, k, batch, s, processors);
        if (time < best->time)
            *best = {time, nth, (int)s};
    }
}

/* Finds the cheapest kind by the model that fits in `shared` bytes per block. */
template <class T, int N, class... Kinds>
static chosen_tiles choose_among(kind_list<Kinds...>, const times_of<N> &times, int m, int n, int k,
                                 int batch, int processors, int shared, row_starts starts) {
    const kind_sizes sizes[] = {sizes_of<T, typename Kinds::tiles>()...};
    const bool fits[] = {
        (layout<T, typename Kinds::tiles>::SHARED <= shared && (!starts || Kinds::ANY_ROWS))...};
    const loose_times &loose = starts == ANYWHERE ? times.anywhere : times.words;
    type_times type = times.type;
    if (starts)
        type.memory_pace /= loose.memory;
    chosen_tiles best = {INFINITY, 0, 1};
    for (int kind = 0; kind < (starts ? (int)LOOSE_KINDS : N); kind++)
        if (fits[kind])
            consider(&best, type, starts ? loose.kinds[kind] : times.kinds[kind], kind, sizes[kind],
                     sizeof(T), m, n, k, batch, processors);
    return best;
}
template <class T>
static chosen_tiles choose_tiles(const known_times<T> &times, int m, int n, int k, int batch,
                                 int processors, int shared, row_starts starts) {
    return choose_among<T>(typename kinds_for<T>::all(), times, m, n, k, batch, processors, shared,
                           starts);
}

template <class T, class... Kinds>
static cudaError_t run_chosen(kind_list<Kinds...>, const chosen_tiles &chosen, const product<T> &p,
                              row_starts starts, cudaStream_t stream) {
    cudaError_t (*const run[])(const product<T> &, row_starts, int,
                               cudaStream_t) = {run_kind<T, Kinds>...};
    return run[chosen.kind](p, starts, chosen.parts, stream);
}

enum { MOST_AT_ONCE = 65535 /* of a batch: the limit of the grid's y */ };

/* C = alpha A B + beta C with the best kind. Returns cudaErrorInvalidValue for negative sizes, or
 * if tiles of 64 x 16 cannot be numbered by an int. */
template <class T>
static cudaError_t multiply_any(const known_times<T> &times, product<T> p, cudaStream_t stream) {
    typedef typename kinds_for<T>::all Kinds;
    if (p.m < 0 || p.n < 0 || p.k < 0 || p.batch < 0)
        return cudaErrorInvalidValue;
    if (p.m == 0 || p.n == 0 || p.batch == 0)
        return cudaSuccess;
    if (whole(p.m, 16) * whole(p.n, 16) > 0x7fffffff / 4 || p.k > 0x7fffffff - 4096)
        return cudaErrorInvalidValue;
    if (p.alpha == 0)
        p.k = 0; /* A and B are not read then (the BLAS rule) */
    cudaError_t status = compiled_for(add_parts<T, true>, 80);
    if (status != cudaSuccess)
        return status;
    const int processors = multiprocessors();
    const int shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, 48 << 10);
    const row_starts starts = starts_of(p.A, p.B, p.C, p.n | p.k | p.a_on | p.b_on | p.c_on);
    const chosen_tiles best =
        choose_tiles<T>(times, p.m, p.n, p.k, p.batch, processors, shared, starts);
    for (int left = p.batch; left > 0 && status == cudaSuccess; left -= MOST_AT_ONCE) {
        p.batch = left < MOST_AT_ONCE ? left : MOST_AT_ONCE;
        status = run_chosen(Kinds(), best, p, starts, stream);
        p.A += p.batch * p.a_on;
        p.B += p.batch * p.b_on;
        p.C += p.batch * p.c_on;
    }
    return status;
}
