// Cases for --memcheck and --racecheck: each is a mistake, or only looks like one.
#include "check.h"

#include <cublas_v2.h>

__global__ void add_one(const float *in, float *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        out[i] = in[i] + 1;
}

__global__ void reverse(int *out, bool wait) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (wait)
        __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// Four words a thread, by warps that have stored or loaded there before: what one did tells nothing
// of the next.
__global__ void fill4(float4 *a, int turns) {
    for (int k = 0; k < turns; k++)
        a[k * blockDim.x + threadIdx.x] = make_float4(1, 2, 3, 4);
}

__global__ void sum4(const float4 *a, float4 *out, int turns) {
    float4 sum = {};
#pragma unroll 4
    for (int k = 0; k < turns; k++) {
        float4 v = a[k * blockDim.x + threadIdx.x];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[threadIdx.x] = sum;
}

static void vectors(int set) {
    float4 *a, *out;
    OK(cudaMalloc(&a, 8 * 64 * sizeof *a));
    OK(cudaMalloc(&out, 64 * sizeof *out));
    fill4<<<1, 64>>>(a, set);
    sum4<<<1, 64>>>(a, out, 8);
    cudaDeviceSynchronize();
}

static void vectors_set() {
    vectors(8);
}

static void vectors_half_set() {
    vectors(7);
}

static void half_set() {
    float *a, *b;
    OK(cudaMalloc(&a, 400));
    OK(cudaMalloc(&b, 400));
    OK(cudaMemset(a, 0, 200));
    add_one<<<1, 128>>>(a, b, 100);
    cudaDeviceSynchronize();
}

// Written by a copy with a pitch, by a kernel, by cuBLAS.
static void all_set() {
    float *a, *b, host[100] = {}, one = 1, zero = 0;
    cublasHandle_t handle;
    OK(cudaMalloc(&a, 400));
    OK(cudaMalloc(&b, 400));
    OK(cudaMemcpy2D(a, 40, host, 20, 20, 10, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(a + 5, 40, 0, 20, 10));
    add_one<<<1, 128>>>(a, b, 100);
    add_one<<<1, 128>>>(b, a, 100);
    OK(cudaFree(b));
    OK(cudaMalloc(&b, 400));
    EXPECT(cublasCreate(&handle) == 0);
    EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 10, 10, 10, &one, a, 10, a, 10, &zero, b,
                       10) == 0);
    add_one<<<1, 128>>>(b, a, 100);
    OK(cudaDeviceSynchronize());
}

static void no_barrier() {
    int *a;
    OK(cudaMalloc(&a, 256));
    reverse<<<1, 64>>>(a, false);
    cudaDeviceSynchronize();
}

static void barrier() {
    int *a;
    OK(cudaMalloc(&a, 256));
    reverse<<<1, 64>>>(a, true);
    OK(cudaDeviceSynchronize());
}

// On a GPU this crashes.
static void host_read() {
    float *a;
    OK(cudaMalloc(&a, 400));
    OK(cudaMemset(a, 0, 400));
    printf("%f\n", a[9]);
}

static void host_free() {
    float *a;
    OK(cudaMalloc(&a, 400));
    free(a);
}

// The usual macro: a short text, and the end.
static void asked() {
    reverse<<<1, 2048>>>(NULL, false);
    if (cudaGetLastError() != cudaSuccess)
        exit(1);
}

int main(int argc, char **argv) {
    static const Case cases[] = {{"half_set", half_set},
                                 {"all_set", all_set},
                                 {"vectors_set", vectors_set},
                                 {"vectors_half_set", vectors_half_set},
                                 {"no_barrier", no_barrier},
                                 {"barrier", barrier},
                                 {"host_read", host_read},
                                 {"host_free", host_free},
                                 {"asked", asked}};
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
