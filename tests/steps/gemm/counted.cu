// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts and this output.
#include <cmath>
#include <cstdio>

// A warp's loads of A if threadIdx.x runs down the rows of C, in blocks of 16 x 16.
__global__ void down_16(float *C, const float *A, int K) {
    int r = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[r * K + k];
    if (threadIdx.y == 0) C[r] = sum;
}

// Counts how often each element of A is loaded, in tiles of 16 x 16.
__global__ void tiles_16(int *loaded, int n) {
    int r = blockIdx.y * 16 + threadIdx.y;
    for (int k0 = 0; k0 < n; k0 += 16) atomicAdd(&loaded[r * n + k0 + threadIdx.x], 1);
}

// One step of k with rows x columns results a thread, in one warp.
template <int rows, int columns> __global__ void outer(float *C, const float *A) {
    __shared__ float a[32 * rows + 1], b[32 * columns + 1];
    int t = threadIdx.x;
    for (int i = t; i < 32 * rows; i += 32) a[i] = A[i];
    for (int i = t; i < 32 * columns; i += 32) b[i] = A[i];
    __syncthreads();
    float x[rows], y[columns];
    for (int i = 0; i < rows; i++) x[i] = a[t + 32 * i];
    for (int j = 0; j < columns; j++) y[j] = b[t + 32 * j];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) C[(i * columns + j) * 32 + t] = x[i] * y[j];
}

int main() {
    const int n = 128;
    float *A, *C;
    int *loaded;
    cudaMalloc(&A, 1 << 20);
    cudaMalloc(&C, 1 << 20);
    cudaMallocManaged(&loaded, n * n * sizeof(int));
    cudaMemset(A, 0, 1 << 20);
    cudaMemset(loaded, 0, n * n * sizeof(int));
    down_16<<<4, dim3(16, 16)>>>(C, A, 64);
    tiles_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(loaded, n);
    outer<8, 8><<<1, 32>>>(C, A);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("loaded %d\n", loaded[5 * n + 7]);
    return 0;
}
