// Which stores of a warp leave L1 together: run under ncu, which counts the sectors that stores ask
// L1 for and those that it sends to L2. Build: nvcc -O2 -std=c++17 -arch=native. Kept in
// results/micro (stores); runtime/softgpu/watch/trace/traffic.c has the figures that come from it.
#include <cstdio>
#define ID                                                                                         \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    if (i >= n)                                                                                    \
        return;                                                                                    \
    [[maybe_unused]] int lane = i % 32;
__global__ void k3_even(float *o, int n, float a) {
    ID if (lane % 2 == 0) {
        o[i * 3] = a;
        o[i * 3 + 1] = a + 1;
        o[i * 3 + 2] = a + 2;
    }
}
__global__ void k3_half(float *o, int n, float a) {
    ID if (lane < 16) {
        o[i * 3] = a;
        o[i * 3 + 1] = a + 1;
        o[i * 3 + 2] = a + 2;
    }
}
__global__ void k3_loop(float *o, int n, float a, int K) {
    ID
#pragma unroll 1
        for (int k = 0; k < K; k++) o[i * 3 + k] = a + k;
}
__global__ void halves_unrolled(float *o, int n, float a) {
    ID if (lane % 2 == 0) o[i] = a;
    if (lane % 2 == 1)
        o[i] = a + 1;
}
__global__ void halves_sectors(float *o, int n, float a) {
    ID if (lane < 16) o[i] = a;
    if (lane >= 16)
        o[i] = a + 1;
}
__global__ void same_twice(volatile float *o, int n, float a) {
    ID o[i] = a;
    o[i] = a + 1;
}
__global__ void same_word3(volatile float *o, int n, float a) {
    ID o[i * 2] = a;
    o[i * 2] = a + 1;
    o[i * 2] = a + 2;
}
template <int S> __global__ void pair(float *o, int n, float a) {
    ID o[(size_t)i * S] = a;
    o[(size_t)i * S + 1] = a + 1;
}
__global__ void k3_load(float *o, const float *in, int n, float a) {
    ID o[i * 3] = a;
    float v = ((volatile const float *)in)[i];
    o[i * 3 + 1] = a + v;
    o[i * 3 + 2] = a + 2;
}
__global__ void k3_sync(float *o, int n, float a) {
    ID o[i * 3] = a;
    __syncthreads();
    o[i * 3 + 1] = a + 1;
    __syncthreads();
    o[i * 3 + 2] = a + 2;
}
__global__ void k3_fence(float *o, int n, float a) {
    ID o[i * 3] = a;
    __threadfence();
    o[i * 3 + 1] = a + 1;
    __threadfence();
    o[i * 3 + 2] = a + 2;
}
__global__ void k3_sleep(float *o, int n, float a) {
    ID o[i * 3] = a;
    __nanosleep(4000);
    o[i * 3 + 1] = a + 1;
    __nanosleep(4000);
    o[i * 3 + 2] = a + 2;
}
__global__ void other_warp(float *o, int n, float a) {
    ID int w = (i / 32) % 2, g = i / 64;
    o[g * 64 + lane * 2 + w] = a;
}
template <int K> __global__ void st(float *o, int n, float a) {
    ID
#pragma unroll
        for (int k = 0; k < K; k++) o[(size_t)i * K + k] = a + k;
}
template <int K> __global__ void move(const float *in, float *o, int n, float a) {
    ID float v[K];
#pragma unroll
    for (int k = 0; k < K; k++)
        v[k] = in[(size_t)i * K + k];
#pragma unroll
    for (int k = 0; k < K; k++)
        o[(size_t)i * K + k] = v[k] + a;
}
template <int K> __global__ void two(float *x, float *y, int n, float a) {
    ID
#pragma unroll
        for (int k = 0; k < K; k++) {
        x[(size_t)i * K + k] = a + k;
        y[(size_t)i * K + k] = a - k;
    }
}
template <int K> __global__ void planes(float *x, int n, float a) {
    ID
#pragma unroll
        for (int k = 0; k < K; k++) x[(size_t)k * n + i] = a + k;
}
__global__ void strided(float *x, int n, float a, int by) {
    ID x[(size_t)i * by] = a;
}
__global__ void far_back(float *x, float *y, int n, float a) {
    ID x[i * 3] = a;
    y[i] = a;
    y[i + n] = a;
    y[i + 2 * n] = a;
    y[i + 3 * n] = a;
    x[i * 3 + 1] = a;
    x[i * 3 + 2] = a;
}
int main() {
    void *p;
    cudaMalloc(&p, 1 << 28);
    float *o = (float *)p, *q = o + (1 << 25);
    int sizes[][2] = {{1 << 20, 128}, {132 * 128, 128}, {132 * 32, 32}};
    for (auto &s : sizes) {
        int n = s[0], b = s[1], g = n / b;
        k3_even<<<g, b>>>(o, n, 1.f);
        k3_half<<<g, b>>>(o, n, 1.f);
        k3_loop<<<g, b>>>(o, n, 1.f, 3);
        halves_unrolled<<<g, b>>>(o, n, 1.f);
        halves_sectors<<<g, b>>>(o, n, 1.f);
        same_twice<<<g, b>>>(o, n, 1.f);
        same_word3<<<g, b>>>(o, n, 1.f);
        pair<2><<<g, b>>>(o, n, 1.f);
        pair<4><<<g, b>>>(o, n, 1.f);
        pair<6><<<g, b>>>(o, n, 1.f);
        pair<7><<<g, b>>>(o, n, 1.f);
        pair<8><<<g, b>>>(o, n, 1.f);
        pair<9><<<g, b>>>(o, n, 1.f);
        pair<12><<<g, b>>>(o, n, 1.f);
        pair<16><<<g, b>>>(o, n, 1.f);
        k3_load<<<g, b>>>(o, q, n, 1.f);
        k3_sync<<<g, b>>>(o, n, 1.f);
        k3_fence<<<g, b>>>(o, n, 1.f);
        k3_sleep<<<g, b>>>(o, n, 1.f);
        other_warp<<<g, b>>>(o, n, 1.f);
        st<2><<<g, b>>>(o, n, 1.f);
        st<3><<<g, b>>>(o, n, 1.f);
        st<7><<<g, b>>>(o, n, 1.f);
        st<8><<<g, b>>>(o, n, 1.f);
        two<2><<<g, b>>>(o, q, n, 1.f);
        two<3><<<g, b>>>(o, q, n, 1.f);
        planes<3><<<g, b>>>(o, n, 1.f);
        strided<<<g, b>>>(o, n, 1.f, 2);
        strided<<<g, b>>>(o, n, 1.f, 3);
        strided<<<g, b>>>(o, n, 1.f, 8);
        far_back<<<g, b>>>(o, q, n, 1.f);
    }
    for (int b : {32, 64, 256, 512, 1024}) {
        int n = 132 * b;
        st<3><<<132, b>>>(o, n, 1.f);
        st<5><<<132, b>>>(o, n, 1.f);
        st<7><<<132, b>>>(o, n, 1.f);
        st<8><<<132, b>>>(o, n, 1.f);
    }
    for (int b : {32, 64, 128, 256, 512, 1024}) {
        int n = 1 << 20, g = n / b;
        st<2><<<g, b>>>(o, n, 1.f);
        st<3><<<g, b>>>(o, n, 1.f);
        st<4><<<g, b>>>(o, n, 1.f);
        st<5><<<g, b>>>(o, n, 1.f);
        st<6><<<g, b>>>(o, n, 1.f);
        st<7><<<g, b>>>(o, n, 1.f);
        st<8><<<g, b>>>(o, n, 1.f);
        st<16><<<g, b>>>(o, n, 1.f);
        move<2><<<g, b>>>(q, o, n, 1.f);
        move<3><<<g, b>>>(q, o, n, 1.f);
        move<5><<<g, b>>>(q, o, n, 1.f);
        move<7><<<g, b>>>(q, o, n, 1.f);
    }
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
