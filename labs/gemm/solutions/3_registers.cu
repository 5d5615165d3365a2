// A 128 x 128 tile of C a block, 8 x 8 results a thread in registers. Tiles of A (turned, so that a
// column of it can be read as float4) and B in two buffers: while one is used, the next is on its
// way. Sizes that are no multiple of the tile, or rows that are not 16-byte aligned, take the same
// road with single, checked loads.
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = 256, PAD = 4;

template <bool FITS>
__device__ float4 load4(const float *from, int row, int col, int rows, int cols) {
    const float *at = from + (size_t)row * cols + col;
    if (FITS)
        return *reinterpret_cast<const float4 *>(at);
    bool in = row < rows;
    return make_float4(in && col < cols ? at[0] : 0, in && col + 1 < cols ? at[1] : 0,
                       in && col + 2 < cols ? at[2] : 0, in && col + 3 < cols ? at[3] : 0);
}

template <bool FITS>
__global__ void __launch_bounds__(THREADS, 2)
    gemm(int m, int n, int k, float alpha, const float *__restrict__ a, const float *__restrict__ b,
         float beta, float *__restrict__ c) {
    __shared__ __align__(16) float as[2][BK][BM + PAD], bs[2][BK][BN];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN, t = threadIdx.x;
    int a_row = t / 2, a_col = t % 2 * 4, b_row = t / 32, b_col = t % 32 * 4;
    /* a thread's 8 x 8 results: two groups of 4 rows, two groups of 4 columns, 64 apart */
    int row = t / 16 * 4, col = t % 16 * 4;
    float sum[TM][TN] = {};
    float4 next_a, next_b;
    auto fetch = [&](int at) {
        next_a = load4<FITS>(a, first_row + a_row, at + a_col, m, k);
        next_b = load4<FITS>(b, at + b_row, first_col + b_col, k, n);
    };
    auto put = [&](int buffer) {
        as[buffer][a_col][a_row] = next_a.x;
        as[buffer][a_col + 1][a_row] = next_a.y;
        as[buffer][a_col + 2][a_row] = next_a.z;
        as[buffer][a_col + 3][a_row] = next_a.w;
        *reinterpret_cast<float4 *>(&bs[buffer][b_row][b_col]) = next_b;
    };
    fetch(0);
    put(0);
    __syncthreads();
    int buffer = 0;
    for (int at = 0; at < k; at += BK) {
        bool more = at + BK < k;
        if (more)
            fetch(at + BK);
#pragma unroll
        for (int i = 0; i < BK; i++) {
            float ra[TM], rb[TN];
            *reinterpret_cast<float4 *>(ra) = *reinterpret_cast<float4 *>(&as[buffer][i][row]);
            *reinterpret_cast<float4 *>(ra + 4) =
                *reinterpret_cast<float4 *>(&as[buffer][i][row + 64]);
            *reinterpret_cast<float4 *>(rb) = *reinterpret_cast<float4 *>(&bs[buffer][i][col]);
            *reinterpret_cast<float4 *>(rb + 4) =
                *reinterpret_cast<float4 *>(&bs[buffer][i][col + 64]);
#pragma unroll
            for (int y = 0; y < TM; y++)
#pragma unroll
                for (int x = 0; x < TN; x++)
                    sum[y][x] += ra[y] * rb[x];
        }
        if (more) {
            put(buffer ^ 1);
            __syncthreads();
            buffer ^= 1;
        }
    }
#pragma unroll
    for (int y = 0; y < TM; y++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int r = first_row + row + y % 4 + y / 4 * 64, q = first_col + col + half * 64;
            float *to = c + (size_t)r * n + q;
            float *s = &sum[y][half * 4];
            if (FITS) {
                float4 old = beta == 0 ? make_float4(0, 0, 0, 0) : *reinterpret_cast<float4 *>(to);
                *reinterpret_cast<float4 *>(to) =
                    make_float4(alpha * s[0] + beta * old.x, alpha * s[1] + beta * old.y,
                                alpha * s[2] + beta * old.z, alpha * s[3] + beta * old.w);
            } else if (r < m) {
#pragma unroll
                for (int x = 0; x < 4; x++)
                    if (q + x < n)
                        to[x] = alpha * s[x] + (beta == 0 ? 0 : beta * to[x]);
            }
        }
}

void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
    if (m % BM == 0 && n % BN == 0 && k % BK == 0)
        gemm<true><<<grid, THREADS>>>(m, n, k, alpha, a, b, beta, c);
    else
        gemm<false><<<grid, THREADS>>>(m, n, k, alpha, a, b, beta, c);
}
