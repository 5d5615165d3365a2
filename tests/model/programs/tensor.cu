// Tensor cores by wmma, and copies to shared memory that run meanwhile (cp.async).
#include "timed.h"
#include <cuda_pipeline.h>
#include <mma.h>
using namespace timed;
using namespace nvcuda;

// A warp makes 16 x 16 results straight from global memory.
__global__ void warp_tile(const half *a, const half *b, float *out, int n) {
    int warp = INDEX / 32, row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> q;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    if (row >= n)
        return;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(p, a + row * n + k, n);
        wmma::load_matrix_sync(q, b + k * n + column, n);
        wmma::mma_sync(sum, p, q, sum);
    }
    wmma::store_matrix_sync(out + row * n + column, sum, n, wmma::mem_row_major);
}

// Products of what is in registers alone.
__global__ void products(float *out, int rounds) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> q;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
    wmma::fill_fragment(p, __float2half(0.5f));
    wmma::fill_fragment(q, __float2half(0.25f));
    for (int k = 0; k < 4; k++)
        wmma::fill_fragment(sum[k], 0.0f);
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 4; k++)
            wmma::mma_sync(sum[k], p, q, sum[k]);
    for (int k = 1; k < 4; k++)
        for (int e = 0; e < sum[0].num_elements; e++)
            sum[0].x[e] += sum[k].x[e];
    wmma::store_matrix_sync(out + INDEX / 32 * 256, sum[0], 16, wmma::mem_row_major);
}

// Rows of 256 numbers, STAGES of them on their way while one is summed.
template <int STAGES> __global__ void staged(const float *in, float *out, int rows) {
    __shared__ float t[STAGES][256];
    int i = threadIdx.x;
    const float *mine = in + (size_t)blockIdx.x * rows * 256;
    for (int s = 0; s < STAGES - 1; s++) {
        __pipeline_memcpy_async(&t[s][i], mine + s * 256 + i, 4);
        __pipeline_commit();
    }
    float sum = 0;
    for (int r = 0; r < rows; r++) {
        if (r + STAGES - 1 < rows)
            __pipeline_memcpy_async(&t[(r + STAGES - 1) % STAGES][i], mine + (r + STAGES - 1) * 256 + i, 4);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        sum += t[r % STAGES][i] + 0.5f * t[r % STAGES][255 - i];
        __syncthreads();
    }
    out[INDEX] = sum;
}

template <int STAGES> void pipeline(one_case &c) {
    int grid = c.draw("blocks", 132, 800), rows = c.draw("rows", 40, 150);
    auto in = floats((size_t)grid * rows * 256);
    float *out = room<float>(grid * 256);
    c.time([&] { staged<STAGES><<<grid, 256>>>(in.gpu, out, rows); });
    c.check(out, grid * 256, [&](size_t i) {
        double sum = 0;
        for (int r = 0; r < rows; r++) {
            float *row = &in.cpu[(i / 256 * rows + r) * 256];
            sum += row[i % 256] + 0.5 * row[255 - i % 256];
        }
        return sum;
    });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("tensor.warp_tile") {
        int n = 16 * c.draw("n_16", 16, 48);
        auto a = make<half>(n * n, [](size_t i) { return __float2half((float)(mix(i) % 4)); }), b = make<half>(n * n, [](size_t i) { return __float2half((float)(i % 3)); });
        float *out = room<float>(n * n);
        c.time([&] { warp_tile<<<blocks(n / 16 * (n / 16), 4), 128>>>(a.gpu, b.gpu, out, n); });
        c.check(out, n * n, [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += mix(i / n * n + k) % 4 * ((k * n + i % n) % 3);
            return sum;
        });
    }
    CASE("tensor.products") {
        int grid = c.draw("blocks", 132, 500), rounds = c.draw("rounds", 20, 150);
        float *out = room<float>(grid * 8 * 256);
        c.time([&] { products<<<grid, 256>>>(out, rounds); });
        c.check(out, grid * 8 * 256, [&](size_t) { return 4 * rounds * 2.0; });
    }
    CASE("tensor.pipeline_1") pipeline<1>(c);
    CASE("tensor.pipeline_2") pipeline<2>(c);
    CASE("tensor.pipeline_4") pipeline<4>(c);
    return failed;
}
