/* C = alpha A B + beta C in bf16 and fp16 for a shallow k: C's stores decide.
 *
 * The idea: with k = 10 a product is little more than the writing of C. Rows that start anywhere
 * make this slow: a tile's rows begin and end within 32-byte sectors, and words or single elements
 * need two to eight times as many store instructions. Here each row of C is cut where its address
 * is a multiple of 16. A window is 128 columns from such a place on, so it begins up to seven
 * columns earlier or later from row to row. A warp computes 136 columns of 16 rows, which contain
 * the rows' windows, leaves them in shared memory, and stores pieces of 16 bytes, shifted as in
 * shifted.cuh. Only a row's ends are stored element by element. B's part stays in shared memory,
 * while warps go down the strips of 16 rows and fetch the next strip's A before they store.
 *
 * Predicted: C's bytes at the pace of a copy's stores, 2.5 times the speed of 11_parts. Measured on
 * an H100 for C of 16 MB and more in fp16 (cuBLAS = 1; the best other rung in brackets): k up to 16
 * 1.28 (0.66), up to 32 1.08 (0.63), up to 64 0.95 (0.79). C below 1 MB is faster by 19_direct.
 *
 * Any shape with k up to MOST_K. Needs compute capability 8.0; runs on softgpu. Sectors/request:
 * stores 16. */
#include "common/any.cuh"
#include "common/cost.cuh"

enum { WARPS = 4, STRIP = 16, WINDOW = 128, PITCH = WINDOW + 8, STRIP_BYTES = STRIP * PITCH * 2 };
enum { DEEP = 16 /* of k: one instruction */, MOST_K = 64 };
enum { MOST = 0x7fffffff - (1 << 20) /* rows and columns: their numbers stay in an int */ };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

/* A warp's strip of A: pieces of 8 elements, STEPS for each lane. */
template <int STEPS> struct strip_of_a {
    enum { EACH_ROW = STEPS * 2 };
    shifted_piece held[STEPS];

    template <class T> __device__ __forceinline__ void fetch(const product<T> &p, int row0) {
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const int nth = i * 32 + threadIdx.x % 32, row = row0 + nth / EACH_ROW;
            const int col = nth % EACH_ROW * 8;
            held[i] = load_shifted(p.A + (size_t)row * p.k + col, row < p.m ? p.k - col : 0, p.A,
                                   p.A + (size_t)p.m * p.k);
        }
    }
    /* Passes them through shared memory at `to` to the order of mma.sync. */
    __device__ __forceinline__ void arrange(uint32_t to, uint32_t (&a)[STEPS][4]) {
        constexpr int ROW_BYTES = STEPS * DEEP * 2 + 16;
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const int nth = i * 32 + lane;
            store_piece(to + nth / EACH_ROW * ROW_BYTES + nth % EACH_ROW * 16, shifted(held[i]));
        }
        __syncwarp();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            load_matrices(a[step], to + lane % 16 * ROW_BYTES + step * 32 + lane / 16 * 16);
        __syncwarp();
    }
};

/* Copies B's columns from col0 on to shared memory: rows of PITCH elements, 0 beyond the edges. A
 * thread fetches AT_ONCE pieces before it stores the first. */
template <int STEPS, class T>
static __device__ __forceinline__ void copy_b(const product<T> &p, int col0, uint32_t to) {
    constexpr int ALL = STEPS * DEEP * (PITCH / 8), AT_ONCE = 5;
    shifted_piece held[AT_ONCE];
    for (int first = threadIdx.x; first < ALL; first += AT_ONCE * WARPS * 32) {
#pragma unroll
        for (int e = 0; e < AT_ONCE; e++) {
            const int i = first + e * WARPS * 32, row = i / (PITCH / 8);
            const int col = col0 + i % (PITCH / 8) * 8;
            held[e] =
                load_shifted(p.B + (size_t)row * p.n + col, row < p.k && col >= 0 ? p.n - col : 0,
                             p.B, p.B + (size_t)p.k * p.n);
        }
#pragma unroll
        for (int e = 0; e < AT_ONCE; e++)
            if (first + e * WARPS * 32 < ALL)
                store_piece(to + (first + e * WARPS * 32) * 16, shifted(held[e]));
    }
}

/* Leaves the strip's results, rounded, in shared memory at `to`. */
template <int STEPS, class T>
static __device__ __forceinline__ void multiply_strip(const product<T> &p, int row0, int col0,
                                                      const uint32_t (&a)[STEPS][4], uint32_t b,
                                                      uint32_t to) {
    const int lane = threadIdx.x % 32;
    /* C is read only in the row's own window: another block writes the next one */
    auto result = [&](int row, int col, float sum) {
        if (p.beta == 0 || row >= p.m || col < 0 || col >= p.n)
            return p.alpha * sum;
        const T *from = p.C + (size_t)row * p.n;
        const int nth = col - col0 - 8 + past_piece(from);
        return p.alpha * sum + (nth >= 0 && nth < WINDOW ? p.beta * float(from[col]) : 0);
    };
#pragma unroll 3
    for (int tile = 0; tile < PITCH / 8; tile++) {
        if (col0 + tile * 8 >= p.n)
            break;
        float sum[4] = {};
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            uint32_t of_b[2];
            load_turned(of_b[0], of_b[1],
                        b + ((step * DEEP + lane % 16) * PITCH + tile * 8) * (int)sizeof(T));
            multiply(T(), sum, a[step], of_b);
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int row = lane / 4 + 8 * h, col = tile * 8 + lane % 4 * 2;
            alignas(4) const T two[2] = {T(result(row0 + row, col0 + col, sum[2 * h])),
                                         T(result(row0 + row, col0 + col + 1, sum[2 * h + 1]))};
            asm volatile("st.shared.b32 [%0], %1;" ::"r"(to + (row * PITCH + col) * 2),
                         "r"(*(const uint32_t *)two)
                         : "memory");
        }
    }
    __syncwarp();
}

/* Stores the strip's windows, which begin one to eight columns after col0. */
template <class T>
static __device__ __forceinline__ void store_strip(const product<T> &p, int row0, int col0,
                                                   const uint4 *from) {
    const int lane = threadIdx.x % 32, nth = lane % 16;
#pragma unroll 4
    for (int r = lane / 16; r < STRIP; r += 2) {
        const int row = row0 + r;
        if (row >= p.m)
            break;
        T *to = p.C + (size_t)row * p.n;
        const int skip = 8 - past_piece(to), col = col0 + skip + nth * 8; /* skip: 1 to 8 */
        if (col >= p.n)
            continue;
        const uint4 *pieces = from + r * (PITCH / 8) + nth + skip / 8;
        const bool two = skip < 8 && col0 + (nth + 1) * 8 < p.n;
        const shifted_piece piece = {pieces[0], pieces[two], (unsigned)(skip % 8 * 2), 16};
        store_cut(to, col, p.n, shifted(piece));
    }
    __syncwarp();
}

#endif

/* blockIdx.x is the window. Warps of all blocks of a window take its strips in turn. */
template <class T, int STEPS>
static __global__ void __launch_bounds__(WARPS * 32) gemm_shallow(const product<T> p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __shared__ uint4 memory[(STEPS * DEEP * PITCH * 2 + WARPS * STRIP_BYTES) / 16];
    uint4 *strip = memory + STEPS * DEEP * (PITCH / 8) + threadIdx.x / 32 * (STRIP_BYTES / 16);
    const int col0 = blockIdx.x * WINDOW - 8, step = gridDim.y * WARPS * STRIP;
    int row = (blockIdx.y * WARPS + threadIdx.x / 32) * STRIP;
    strip_of_a<STEPS> next;
    if (row < p.m)
        next.fetch(p, row);
    copy_b<STEPS>(p, col0, address_of(memory));
    __syncthreads();
    for (; row < p.m; row += step) {
        uint32_t a[STEPS][4];
        next.arrange(address_of(strip), a);
        if (step < p.m - row)
            next.fetch(p, row + step);
        multiply_strip<STEPS>(p, row, col0, a, address_of(memory), address_of(strip));
        store_strip(p, row, col0, strip);
    }
#endif
}

/* The model's times in microseconds for one, two and four steps: a launch with all fixed costs, and
 * a megabyte of C. Fitted to 795 products on an H100, with errors of 5 to 7 %. */
static const struct {
    double launch, megabyte;
} TIMES[] = {{7.0, 0.516}, {7.5, 0.645}, {8.9, 0.928}};

/* Returns the place in TIMES for this k. */
static int nth_of(int k) {
    return k <= DEEP ? 0 : k <= 2 * DEEP ? 1 : 2;
}

double wbk_gemm_shallow_time(int m, int n, int k) {
    const auto &times = TIMES[nth_of(k)];
    return k > MOST_K || m > MOST || n > MOST ? INFINITY
                                              : times.launch + times.megabyte * 2e-6 * m * n;
}

template <class T> static cudaError_t multiply_shallow(product<T> p, cudaStream_t stream) {
    if (p.m < 0 || p.n < 0 || p.k < 0)
        return cudaErrorInvalidValue;
    if (p.m == 0 || p.n == 0)
        return cudaSuccess;
    if (p.alpha == 0)
        p.k = 0; /* A and B are not read then (the BLAS rule) */
    if (p.k > MOST_K || p.m > MOST || p.n > MOST)
        return cudaErrorInvalidValue;
    auto *kernel = nth_of(p.k) == 0   ? gemm_shallow<T, 1>
                   : nth_of(p.k) == 1 ? gemm_shallow<T, 2>
                                      : gemm_shallow<T, 4>;
    cudaError_t status = compiled_for(kernel, 80);
    if (status != cudaSuccess)
        return status;
    const long long windows = whole(p.n + 7LL, WINDOW), most = whole(p.m, STRIP * WARPS);
    const long long wanted = whole((long long)blocks_at_once(kernel, WARPS * 32), windows);
    const dim3 blocks((unsigned)windows, (unsigned)(wanted < most ? wanted : most));
    kernel<<<blocks, WARPS * 32, 0, stream>>>(p);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_gemm_shallow_bf16(const __nv_bfloat16 *A, const __nv_bfloat16 *B,
                                             __nv_bfloat16 *C, int m, int n, int k, float alpha,
                                             float beta, cudaStream_t stream) {
    return multiply_shallow<__nv_bfloat16>({A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_gemm_shallow_fp16(const __half *A, const __half *B, __half *C, int m,
                                             int n, int k, float alpha, float beta,
                                             cudaStream_t stream) {
    return multiply_shallow<__half>({A, B, C, m, n, k, alpha, beta}, stream);
}
