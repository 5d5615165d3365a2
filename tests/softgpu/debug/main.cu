// Kernels for test_debug.py. A line that the test names has a mark: // @name
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

struct pair {
    float x;
    int n;
};

__device__ float factor = 0.5f;
__device__ pair best = {1.5f, 7};
__device__ int table[3][4];
__device__ float *rows;
__constant__ double weights[5] = {0.25, 0.5, 1, 2, 4};
__managed__ long long total = -3;
static __device__ unsigned char hidden = 200;
namespace lab {
__device__ short level = -12;
}

__device__ int twice(int v) {
    int w = v * 2;  // @twice
    return w + 1;
}

__global__ void values(const float *in, float *out, int n) {
    __shared__ float tile[4][8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];  // @load
    tile[threadIdx.x / 8][threadIdx.x % 8] = x;
    pair p = {x * 2, i * 3};
    float acc[3] = {x, x + 1, x + 2};
    __syncthreads();
    if (tile[0][0] != tile[0][0])
        return;
    const float *mine = in + i;
    printf("%d %d %g %g %d %g %d\n", blockIdx.x, threadIdx.x, x, p.x, p.n, acc[2], (int)(mine - in));  // @print
    out[i] = x + p.n + acc[1] + *mine;
}

__global__ void branches(int *out, int rounds) {
    int i = threadIdx.x, sum = 0;  // @begin
    for (int r = 0; r < rounds; r++) {  // @loop
        if (i % 2 == 0)  // @if
            sum += twice(r);  // @even
        else
            sum -= r;  // @odd
    }
    out[blockIdx.x * blockDim.x + i] = sum;  // @end
}

__global__ void barriers(int *out) {
    __shared__ int part[64];
    int t = threadIdx.x;
    // a square for each thread  // @empty
    part[t] = t * t;  // @fill
    __syncthreads();  // @barrier
    int other = part[63 - t];  // @behind
    out[t] = other;
}

__global__ void stray(int *out) {
    int i = threadIdx.x * 1000;
    int before = i + 7;
    out[i] = before;  // @stray
}

__global__ void claims(int *out) {
    int i = threadIdx.x;
    assert(i < 5);  // @claim
    out[i] = i;
}

__global__ void races(int *out) {
    __shared__ int cell[64];
    int t = threadIdx.x;
    cell[t] = t;
    out[t] = cell[63 - t];  // @race
}

__global__ void unset(int *out) {
    __shared__ int cell[64];
    int t = threadIdx.x;
    if (t < 7)
        cell[t] = t;
    out[t] = cell[t];  // @unset
}

__global__ void stuck(int *out) {
    int t = threadIdx.x;
    if (t < 40)
        asm volatile("bar.sync 1, 128;");  // @stuck
    out[t] = t;
}

__device__ int sums(int n) {
    return n < 2 ? n : sums(n - 1) + sums(n - 2);  // @sums
}

__device__ __forceinline__ float halves(float v) {
    float h = v / 2;
    return h;  // @halves
}

template <class T>
__global__ void oddities(T *out, int n) {
    extern __shared__ float dynamic[];
    int t = threadIdx.x;
    dynamic[t] = t * 1.5f;
    float *second = &dynamic[2];
    auto add = [=](int z) { return z + n; };  // @lambda
    T a = halves(t);
    T b = add(sums(4));  // @call
    out[t] = a + b + second[0] + factor;  // @sum
}

__global__ void waits(volatile int *flag) {
    int turns = 0;
    while (!*flag)  // @wait
        turns++;
    flag[1] = turns;
}

__global__ void many(int *out, int n) {
    for (int k = 0; k < n; k++)
        out[threadIdx.x] += k;  // @many
}

__global__ void globals(int *out) {
    int t = threadIdx.x;
    table[t / 4][t % 4] = t * 11;
    if (t == 0) {
        best.n++;  // @best
        total += hidden + lab::level;
        hidden = 1;
    }
    __syncthreads();
    out[t] = table[2][3] + (int)total + (int)weights[t % 5] + (rows ? (int)rows[0] : 0);  // @globals
}

int main(int argc, char **argv) {
    auto debug = (void (*)(const char *))dlsym(RTLD_DEFAULT, "softgpu_debug");
    const char *kernel = argv[1];
    float *in;
    int *out;
    cudaMallocManaged(&in, 4096);
    cudaMallocManaged(&out, 4096);
    memset(out, 0, 4096);
    for (int i = 0; i < 64; i++)
        in[i] = i * 37 % 50 / 8.0f;
    for (int turn = 0; turn < (argc > 2 ? atoi(argv[2]) : 1); turn++) {
        debug(getenv("DEBUG_WISH"));
        if (!strcmp(kernel, "values"))
            values<<<2, 32>>>(in, (float *)out, 64);
        if (!strcmp(kernel, "branches"))
            branches<<<3, 8>>>(out, 4);
        if (!strcmp(kernel, "barriers"))
            barriers<<<1, 64>>>(out);
        if (!strcmp(kernel, "stray"))
            stray<<<1, 8>>>(out);
        if (!strcmp(kernel, "claims"))
            claims<<<1, 8>>>(out);
        if (!strcmp(kernel, "unset"))
            unset<<<1, 8>>>(out);
        if (!strcmp(kernel, "stuck"))
            stuck<<<1, 64>>>(out);
        if (!strcmp(kernel, "oddities"))
            oddities<<<1, 32, 256>>>((float *)out, 10);
        if (!strcmp(kernel, "races"))
            races<<<1, 64>>>(out);
        if (!strcmp(kernel, "waits"))
            waits<<<1, 32>>>(out);
        if (!strcmp(kernel, "globals")) {
            cudaMemcpyToSymbol(rows, &in, sizeof in);
            globals<<<1, 12>>>(out);
        }
        if (!strcmp(kernel, "many"))
            many<<<1, 32>>>(out, 100);
    }
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s", cudaGetErrorName(error));
    for (int i = 0; i < 24; i++)
        printf(" %d", error ? 0 : out[i]);
    printf("\n");
    return error != cudaSuccess;
}
