// Kernels of the lab's predictions. A test compares the answers in steps.json with softgpu's counts and this output.
#include <cstdio>

__global__ void spot(int *where, int *found, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.98f) where[atomicAdd(found, 1)] = i;
}

__global__ void sealing(int *lanes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 16 == 0) *lanes = __popc(__activemask());
}

// The first loop of smooth().
__global__ void walk(float *out, int length) {
    __shared__ float s[128][32];
    int t = threadIdx.x;
    for (int k = t; k < 128 * 32; k += 128) s[k / 32][k % 32] = k;
    __syncthreads();
    float sum = 0;
    for (int k = 1; k < length; k++) sum += s[t][k];
    out[t] = sum;
}

int main() {
    const int n = 1000000;
    float *in, *out;
    int *where, *found, *lanes;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMalloc(&where, n * sizeof(int));
    cudaMalloc(&out, 128 * sizeof(float));
    cudaMallocManaged(&found, sizeof(int));
    cudaMallocManaged(&lanes, sizeof(int));
    for (int i = 0; i < n; i++) in[i] = i % 50 == 49 ? 0.99f : 0.5f;
    *found = 0;
    spot<<<(n + 255) / 256, 256>>>(where, found, in, n);
    sealing<<<4, 256>>>(lanes);
    walk<<<1, 128>>>(out, 32);
    if (cudaDeviceSynchronize() != cudaSuccess || *found != 20000) return 1;
    printf("lanes %d\n", *lanes);
    return 0;
}
