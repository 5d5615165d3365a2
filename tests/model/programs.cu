// The kernels that test_model.py asks the model about: ./programs KERNEL BLOCKS THREADS N
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void copy(const float *in, float *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void scattered(const float *in, float *out, size_t n, size_t step) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * step % n];
}

__global__ void chase(const int *next, int *out, size_t n) {
    int at = 0;
    for (size_t k = 0; k < n; k++)
        at = next[at];
    *out = at;
}

__global__ void queue(int *sum, size_t n) {
    for (size_t k = 0; k < n; k++)
        atomicAdd(sum, (int)((threadIdx.x + k) % 3));
}

__global__ void queue_of_floats(float *sum, size_t n) {
    for (size_t k = 0; k < n; k++)
        atomicAdd(sum, 1.0f);
}

__global__ void multiply(float *out, size_t n) {
    float v[8];
    for (int k = 0; k < 8; k++)
        v[k] = threadIdx.x + k;
    for (size_t i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 64; k++)
            v[k % 8] = v[k % 8] * 1.0001f + 0.5f;
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += v[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void conflicts(float *out, size_t step) {
    __shared__ float row[32 * 33];
    float sum = 0;
    row[threadIdx.x] = threadIdx.x;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 256; k++)
        sum += ((volatile float *)row)[(threadIdx.x % 32 * step + k) % 1024];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void much_shared(float *out, size_t n) {
    extern __shared__ float room[];
    room[threadIdx.x] = n;
    __syncthreads();
    out[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

__global__ void flag(volatile int *ready, int *out) {
    if (blockIdx.x == 1) {
        *out = 7;
        __threadfence();
        *ready = 1;
    } else if (threadIdx.x == 0) {
        while (!*ready)
            ;
    }
}

// n copies, as a graph that is launched once.
static void graph(float *in, float *out, size_t words, unsigned blocks, unsigned threads, size_t n) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (size_t k = 0; k < n; k++)
        copy<<<blocks, threads, 0, stream>>>(in, out, words);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphLaunch(instance, stream);
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    const char *what = argv[1];
    unsigned blocks = (unsigned)atoi(argv[2]), threads = (unsigned)atoi(argv[3]);
    size_t n = strtoull(argv[4], nullptr, 10), words = (size_t)blocks * threads;
    float *in, *out;
    words = words > 4096 ? words : 4096;
    cudaMalloc(&in, words * sizeof *in);
    cudaMalloc(&out, words * sizeof *out);
    cudaMemset(in, 0, words * sizeof *in);
    cudaMemset(out, 0, words * sizeof *out);
    if (!strcmp(what, "copy"))
        copy<<<blocks, threads>>>(in, out, words);
    else if (!strcmp(what, "graph"))
        graph(in, out, words, blocks, threads, n);
    else if (!strcmp(what, "scattered"))
        scattered<<<blocks, threads>>>(in, out, words, n);
    else if (!strcmp(what, "chase"))
        chase<<<blocks, threads>>>((int *)in, (int *)out, n);
    else if (!strcmp(what, "queue"))
        queue<<<blocks, threads>>>((int *)out, n);
    else if (!strcmp(what, "queue_of_floats"))
        queue_of_floats<<<blocks, threads>>>(out, n);
    else if (!strcmp(what, "multiply"))
        multiply<<<blocks, threads>>>(out, n);
    else if (!strcmp(what, "conflicts"))
        conflicts<<<blocks, threads>>>(out, n);
    else if (!strcmp(what, "much_shared")) {
        cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)n);
        much_shared<<<blocks, threads, n>>>(out, n);
    } else if (!strcmp(what, "flag"))
        flag<<<blocks, threads>>>((int *)in, (int *)out);
    else if (!strcmp(what, "device")) {
        cudaDeviceProp p;
        cudaGetDeviceProperties(&p, 0);
        printf("%s: %d multiprocessors, %d\n", p.name, p.multiProcessorCount, 10 * p.major + p.minor);
    }
    cudaError_t code = cudaDeviceSynchronize();
    if (code == cudaSuccess)
        code = cudaGetLastError();
    if (code != cudaSuccess)
        printf("%s\n", cudaGetErrorString(code));
    return code != cudaSuccess;
}
