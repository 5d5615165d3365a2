// Programs of the kind the CUDA samples hold, a case each, with their results checked on the host.
#include "check.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <thread>
#include <vector>

namespace cg = cooperative_groups;

static unsigned next_random(unsigned &state) {
    return state = state * 1664525u + 1013904223u;
}

// ---- streams: copies and kernels in chunks -----------------------------------------------------

__global__ void saxpy(float a, const float *x, float *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

static void chunks() {
    const int n = 100003, parts = 4;
    float *hx, *hy, *x, *y;
    cudaStream_t streams[parts];
    OK(cudaMallocHost(&hx, n * 4));
    OK(cudaMallocHost(&hy, n * 4));
    OK(cudaMalloc(&x, n * 4));
    OK(cudaMalloc(&y, n * 4));
    for (int i = 0; i < n; i++)
        hx[i] = i, hy[i] = 1;
    for (int p = 0; p < parts; p++) {
        int begin = (long)n * p / parts, count = (long)n * (p + 1) / parts - begin;
        OK(cudaStreamCreate(&streams[p]));
        OK(cudaMemcpyAsync(x + begin, hx + begin, count * 4, cudaMemcpyHostToDevice, streams[p]));
        OK(cudaMemcpyAsync(y + begin, hy + begin, count * 4, cudaMemcpyHostToDevice, streams[p]));
        saxpy<<<7, 128, 0, streams[p]>>>(2, x + begin, y + begin, count);
        OK(cudaMemcpyAsync(hy + begin, y + begin, count * 4, cudaMemcpyDeviceToHost, streams[p]));
    }
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(hy[i] == 2.0f * i + 1);
}

// ---- histogram: atomics in shared and global memory --------------------------------------------

__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static void histograms() {
    const int n = 200001;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> want(256), got(256);
    unsigned seed = 1, *bins;
    unsigned char *d;
    for (auto &c : data)
        c = next_random(seed) >> 24, want[c]++;
    OK(cudaMalloc(&d, n));
    OK(cudaMalloc(&bins, 1024));
    OK(cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice));
    OK(cudaMemset(bins, 0, 1024));
    histogram<<<10, 256>>>(d, n, bins);
    OK(cudaMemcpy(got.data(), bins, 1024, cudaMemcpyDeviceToHost));
    EXPECT(got == want);
}

// ---- scan by shuffles, sums by cooperative groups ----------------------------------------------

__global__ void scan(int *data, int n) {
    __shared__ int sums[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = threadIdx.x < n ? data[threadIdx.x] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += up;
    }
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int up = __shfl_up_sync(~0u, s, d);
            if (lane >= d)
                s += up;
        }
        sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0)
        v += sums[warp - 1];
    if (threadIdx.x < n)
        data[threadIdx.x] = v;
}

__global__ void group_sums(const int *data, int n, int *total, int *tiles) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    int v = i < n ? data[i] : 0;
    int eight = cg::reduce(tile, v, cg::plus<int>());
    if (tile.thread_rank() == 0 && i < n)
        tiles[i / 8] = eight;
    auto warp = cg::tiled_partition<32>(block);
    int sum = cg::reduce(warp, v, cg::plus<int>());
    if (warp.thread_rank() == 0)
        atomicAdd(total, sum);
    auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0 && i == 0)
        tiles[n / 8] = active.size();
}

static void scans() {
    const int n = 1000;
    std::vector<int> data(n), got(n);
    int *d, *total, *tiles, sum = 0;
    for (int i = 0; i < n; i++)
        data[i] = i % 7 - 2;
    OK(cudaMalloc(&d, n * 4));
    OK(cudaMalloc(&total, 4));
    OK(cudaMalloc(&tiles, (n / 8 + 1) * 4));
    OK(cudaMemset(total, 0, 4));
    OK(cudaMemcpy(d, data.data(), n * 4, cudaMemcpyHostToDevice));
    group_sums<<<4, 256>>>(d, n, total, tiles);
    scan<<<1, 1024>>>(d, n);
    OK(cudaMemcpy(got.data(), d, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == (sum += data[i]));
    int device_sum, tile[126];
    OK(cudaMemcpy(&device_sum, total, 4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(tile, tiles, sizeof tile, cudaMemcpyDeviceToHost));
    EXPECT(device_sum == sum && tile[125] == 32);
    for (int i = 0; i < 125; i++)
        EXPECT(tile[i] == got[8 * i + 7] - (i > 0 ? got[8 * i - 1] : 0));
}

// ---- matrix product by tiles -------------------------------------------------------------------

template <int TILE> __global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[threadIdx.y][threadIdx.x] =
            row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] =
            column < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

template <int TILE> static void product(int n) {
    std::vector<float> a(n * n), b(n * n), c(n * n);
    float *da, *db, *dc;
    unsigned seed = n;
    for (int i = 0; i < n * n; i++)
        a[i] = next_random(seed) >> 29, b[i] = next_random(seed) >> 29;
    OK(cudaMalloc(&da, n * n * 4));
    OK(cudaMalloc(&db, n * n * 4));
    OK(cudaMalloc(&dc, n * n * 4));
    OK(cudaMemcpy(da, a.data(), n * n * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(db, b.data(), n * n * 4, cudaMemcpyHostToDevice));
    dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    multiply<TILE><<<grid, dim3(TILE, TILE)>>>(da, db, dc, n);
    OK(cudaMemcpy(c.data(), dc, n * n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            EXPECT(c[i * n + j] == sum); // small integers: exact
        }
    OK(cudaFree(da));
    OK(cudaFree(db));
    OK(cudaFree(dc));
}

static void products() {
    product<16>(67);
    product<32>(96);
}

// ---- bitonic sort ------------------------------------------------------------------------------

__global__ void bitonic(unsigned *data) {
    extern __shared__ unsigned s[];
    unsigned i = threadIdx.x;
    s[i] = data[i];
    for (unsigned k = 2; k <= blockDim.x; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            unsigned other = i ^ j;
            if (other > i && (s[i] > s[other]) == ((i & k) == 0)) {
                unsigned t = s[i];
                s[i] = s[other];
                s[other] = t;
            }
        }
    __syncthreads();
    data[i] = s[i];
}

static void sorts() {
    std::vector<unsigned> data(512);
    unsigned seed = 9, *d;
    for (auto &x : data)
        x = next_random(seed);
    OK(cudaMalloc(&d, 2048));
    OK(cudaMemcpy(d, data.data(), 2048, cudaMemcpyHostToDevice));
    bitonic<<<1, 512, 2048>>>(d);
    std::sort(data.begin(), data.end());
    std::vector<unsigned> got(512);
    OK(cudaMemcpy(got.data(), d, 2048, cudaMemcpyDeviceToHost));
    EXPECT(got == data);
}

// ---- the whole grid at a barrier ---------------------------------------------------------------

__global__ void relax(float *a, float *b, int n, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = 0.5f * (a[i > 0 ? i - 1 : 0] + a[i < n - 1 ? i + 1 : n - 1]);
        grid.sync();
        float *t = a;
        a = b;
        b = t;
    }
}

static void grids() {
    const int n = 1000;
    int rounds = 9, count = n, blocks;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++)
        a[i] = i * i % 31;
    float *da, *db;
    OK(cudaMalloc(&da, n * 4));
    OK(cudaMalloc(&db, n * 4));
    OK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, relax, 64, 0));
    void *args[] = {&da, &db, &count, &rounds};
    OK(cudaLaunchCooperativeKernel((const void *)relax, dim3(std::min(blocks, 4)), dim3(64), args,
                                   0, 0));
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n; i++)
            b[i] = 0.5f * (a[std::max(i - 1, 0)] + a[std::min(i + 1, n - 1)]);
        a.swap(b);
    }
    OK(cudaMemcpy(b.data(), db, n * 4, cudaMemcpyDeviceToHost));
    EXPECT(a == b);
}

// ---- convolution: constants, pitch, two dimensions ---------------------------------------------

__constant__ float filter[9];

__global__ void convolve(const float *in, size_t pitch, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = min(max(x + dx, 0), w - 1), sy = min(max(y + dy, 0), h - 1);
            sum += filter[(dy + 1) * 3 + dx + 1] *
                   *((const float *)((const char *)in + sy * pitch) + sx);
        }
    out[y * w + x] = sum;
}

static void convolutions() {
    const int w = 61, h = 35;
    const float f[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    std::vector<float> in(w * h), out(w * h);
    float *din, *dout;
    size_t pitch;
    for (int i = 0; i < w * h; i++)
        in[i] = i * 7 % 13;
    OK(cudaMallocPitch(&din, &pitch, w * 4, h));
    OK(cudaMalloc(&dout, w * h * 4));
    OK(cudaMemcpyToSymbol(filter, f, sizeof f));
    OK(cudaMemcpy2D(din, pitch, in.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    convolve<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(din, pitch, dout, w, h);
    OK(cudaMemcpy(out.data(), dout, w * h * 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int d = 0; d < 9; d++) {
                int sx = std::min(std::max(x + d % 3 - 1, 0), w - 1);
                int sy = std::min(std::max(y + d / 3 - 1, 0), h - 1);
                sum += f[d] * in[sy * w + sx];
            }
            EXPECT(out[y * w + x] == sum);
        }
}

// ---- bodies: float4, rsqrtf, double atomics ----------------------------------------------------

__global__ void forces(const float4 *bodies, float4 *out, int n, double *energy) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0), f = make_float4(0, 0, 0, 0);
    for (int t = 0; t < n; t += blockDim.x) {
        int j = t + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = tile[k].w * r * r * r;
            f.x += dx * s, f.y += dy * s, f.z += dz * s, f.w += tile[k].w * r;
        }
        __syncthreads();
    }
    if (i < n) {
        out[i] = f;
        atomicAdd(energy, (double)f.w);
    }
}

static void bodies() {
    const int n = 150;
    std::vector<float4> in(n), out(n);
    float4 *din, *dout;
    double *energy, got, want = 0;
    unsigned seed = 3;
    for (auto &b : in)
        b = make_float4(next_random(seed) * 0x1p-32f, next_random(seed) * 0x1p-32f,
                        next_random(seed) * 0x1p-32f, 1);
    OK(cudaMalloc(&din, n * 16));
    OK(cudaMalloc(&dout, n * 16));
    OK(cudaMalloc(&energy, 8));
    OK(cudaMemset(energy, 0, 8));
    OK(cudaMemcpy(din, in.data(), n * 16, cudaMemcpyHostToDevice));
    forces<<<(n + 63) / 64, 64>>>(din, dout, n, energy);
    OK(cudaMemcpy(out.data(), dout, n * 16, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&got, energy, 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        double x = 0, w = 0;
        for (int j = 0; j < n; j++) {
            double dx = in[j].x - in[i].x, dy = in[j].y - in[i].y, dz = in[j].z - in[i].z;
            double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            x += dx * r * r * r, w += r;
        }
        EXPECT(std::fabs(out[i].x - x) < 1e-3 * (1 + std::fabs(x)));
        EXPECT(std::fabs(out[i].w - w) < 1e-4 * w);
        want += w;
    }
    EXPECT(std::fabs(got - want) < 1e-4 * want);
}

// ---- life, mathematics, half precision, votes, function pointers, the heap ----------------------

__global__ void life(const char *in, char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int n = 0;
    for (int d = 0; d < 9; d++)
        n += d != 4 && in[(y + d / 3 - 1 + h) % h * w + (x + d % 3 - 1 + w) % w];
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}

static void lives() {
    const int w = 20, h = 20;
    char glider[w * h] = {}, back[w * h], *a, *b;
    glider[1] = glider[w + 2] = glider[2 * w] = glider[2 * w + 1] = glider[2 * w + 2] = 1;
    OK(cudaMalloc(&a, w * h));
    OK(cudaMalloc(&b, w * h));
    OK(cudaMemcpy(a, glider, w * h, cudaMemcpyHostToDevice));
    for (int i = 0; i < 80; i++, std::swap(a, b)) // a glider moves by one in four steps
        life<<<dim3(3, 3), dim3(8, 8)>>>(a, b, w, h);
    OK(cudaMemcpy(back, a, w * h, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(back, glider, w * h) == 0);
}

__global__ void functions(const double *x, double *y, float *f, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    y[i] = sin(x[i]) + exp(-x[i]) + pow(x[i], 1.5) + log1p(x[i]) + erf(x[i]) + tgamma(x[i] + 1) +
           cbrt(x[i]);
    f[i] = __sinf((float)x[i]) + expf(-(float)x[i]) + powf((float)x[i], 1.5f) +
           atan2f((float)x[i], 2.0f);
}

static void mathematics() {
    const int n = 100;
    double x[n], y[n], *dx, *dy;
    float f[n], *df;
    for (int i = 0; i < n; i++)
        x[i] = 0.03 * i;
    OK(cudaMalloc(&dx, sizeof x));
    OK(cudaMalloc(&dy, sizeof y));
    OK(cudaMalloc(&df, sizeof f));
    OK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    functions<<<1, 128>>>(dx, dy, df, n);
    OK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(f, df, sizeof f, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        double t = x[i],
               want = sin(t) + exp(-t) + pow(t, 1.5) + log1p(t) + erf(t) + tgamma(t + 1) + cbrt(t);
        EXPECT(std::fabs(y[i] - want) < 1e-13 * (1 + std::fabs(want)));
        double single = sin(t) + exp(-t) + pow(t, 1.5) + atan2(t, 2);
        EXPECT(std::fabs(f[i] - single) < 4e-6 * (1 + std::fabs(single)));
    }
}

typedef int (*operation)(int, int);
__device__ int plus_op(int a, int b) {
    return a + b;
}
__device__ int minus_op(int a, int b) {
    return a - b;
}
__device__ operation operations[2] = {plus_op, minus_op};

__device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void odds_and_ends(int *out, const __half *h, float *sum) {
    int i = threadIdx.x;
    unsigned odd = __ballot_sync(~0u, i & 1);
    out[i] = operations[i & 1](100, i) + __popc(odd) + (__any_sync(~0u, i == 5) ? 1000 : 0);
    if (i == 3)
        out[i] = fibonacci(10);
    int *heap = (int *)malloc(16);
    heap[i % 4] = i;
    out[32 + i] = heap[i % 4];
    free(heap);
    __half2 v = __halves2half2(h[i], __float2half(1.0f));
    v = __hfma2(v, v, v);
    sum[i] = __low2float(v) + __half2float(__hmul(h[i], h[i]));
}

static void oddities() {
    int out[64], *d;
    __half h[32], *dh;
    float sum[32], *ds;
    for (int i = 0; i < 32; i++)
        h[i] = __float2half(i * 0.5f);
    OK(cudaMalloc(&d, sizeof out));
    OK(cudaMalloc(&dh, sizeof h));
    OK(cudaMalloc(&ds, sizeof sum));
    OK(cudaMemcpy(dh, h, sizeof h, cudaMemcpyHostToDevice));
    odds_and_ends<<<1, 32>>>(d, dh, ds);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(sum, ds, sizeof sum, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        float x = i * 0.5f;
        EXPECT(out[i] == (i == 3 ? 55 : (i & 1 ? 100 - i : 100 + i) + 16 + 1000));
        EXPECT(out[32 + i] == i && sum[i] == x * x + x + x * x);
    }
}

// ---- host threads, a stream each ---------------------------------------------------------------

__global__ void ramp(int *p, int n, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = first + i;
}

static void host_thread(int id) {
    for (int round = 0; round < 60; round++) {
        int n = 1000 + id * 37 + round, *p;
        std::vector<int> back(n);
        cudaStream_t stream;
        OK(cudaMalloc(&p, n * 4));
        OK(cudaStreamCreate(&stream));
        ramp<<<(n + 127) / 128, 128, 0, stream>>>(p, n, id * round);
        OK(cudaMemcpyAsync(back.data(), p, n * 4, cudaMemcpyDeviceToHost, stream));
        OK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            EXPECT(back[i] == id * round + i);
        OK(cudaStreamDestroy(stream));
        OK(cudaFree(p));
    }
}

static void threads() {
    std::vector<std::thread> all;
    for (int id = 0; id < 5; id++)
        all.emplace_back(host_thread, id);
    for (auto &t : all)
        t.join();
}

__global__ void say(int n) {
    printf("thread %d of %s: %5.2f %lld %c\n", threadIdx.x, "block", threadIdx.x * 0.5, 1ll << 40,
           'x');
    assert(threadIdx.x < n);
}

static void says() {
    printf("before\n");
    say<<<1, 3>>>(8);
    OK(cudaDeviceSynchronize());
    printf("after\n");
}

static void asserts() {
    say<<<1, 3>>>(2);
    OK(cudaGetLastError());
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorAssert);
}

int main(int argc, char **argv) {
    static const Case cases[] = {
        {"chunks", chunks},
        {"histograms", histograms},
        {"scans", scans},
        {"products", products},
        {"sorts", sorts},
        {"grids", grids},
        {"bodies", bodies},
        {"convolutions", convolutions},
        {"lives", lives},
        {"oddities", oddities},
        {"mathematics", mathematics},
        {"says", says},
        {"threads", threads},
        {"asserts", asserts},
    };
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
