// Streams, events, copies in all directions, memset, managed memory, host memory, attributes.
#include "check.h"

__global__ void add(int *a, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += by;
}

int main() {
    int count;
    CUDA(cudaGetDeviceCount(&count));
    cudaDeviceProp prop;
    CUDA(cudaGetDeviceProperties(&prop, 0));
    printf("%d device, warps of %d, %d threads a block\n", count, prop.warpSize, prop.maxThreadsPerBlock);
    const int n = 1000;
    int *a, *pinned, *managed, *b;
    CUDA(cudaMalloc(&a, n * sizeof(int)));
    CUDA(cudaMalloc(&b, n * sizeof(int)));
    CUDA(cudaMallocHost(&pinned, n * sizeof(int)));
    CUDA(cudaMallocManaged(&managed, n * sizeof(int)));
    cudaStream_t s, t;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin, s));
    CUDA(cudaMemsetAsync(a, 0, n * sizeof(int), s));
    for (int k = 0; k < 10; k++)
        add<<<(n + 127) / 128, 128, 0, s>>>(a, n, k);
    CUDA(cudaMemcpyAsync(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice, s));
    CUDA(cudaEventRecord(end, s));
    CUDA(cudaStreamWaitEvent(t, end, 0));
    CUDA(cudaMemcpyAsync(pinned, b, n * sizeof(int), cudaMemcpyDeviceToHost, t));
    CUDA(cudaStreamSynchronize(t));
    float ms = -1;
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    printf("%d %d %s\n", pinned[0], pinned[n - 1], ms >= 0 && ms < 60000 ? "timed" : "not timed");
    CUDA(cudaMemset(managed, 1, n * sizeof(int)));
    add<<<8, 128>>>(managed, n, 1);
    CUDA(cudaDeviceSynchronize());
    printf("%d\n", managed[999]);
    add<<<8, 128>>>(pinned, n, 5); // mapped host memory
    CUDA(cudaDeviceSynchronize());
    printf("%d\n", pinned[3]);
    int host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0};
    size_t pitch;
    int *p2;
    CUDA(cudaMallocPitch((void **)&p2, &pitch, 3 * sizeof(int), 2));
    CUDA(cudaMemcpy2D(p2, pitch, host, 12, 12, 2, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2D(back, 12, p2, pitch, 12, 2, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", back[0], back[3], back[5]);
    printf("%s\n", cudaGetErrorName(cudaMemcpy(a, host, (n + 1) * sizeof(int), cudaMemcpyHostToDevice)));
    (void)cudaGetLastError();
    add<<<1, 2000>>>(a, n, 1);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    add<<<1, 1, 1 << 20>>>(a, n, 1);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    add<<<0, 1>>>(a, n, 1);
    printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("%s", cudaGetErrorName(cudaGetLastError()));
    printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, add));
    int blocks;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
    printf("%d %zu %d\n", attributes.maxThreadsPerBlock, attributes.sharedSizeBytes, blocks > 0);
    printf("%s\n", cudaGetErrorName(cudaStreamQuery(s)));
    CUDA(cudaLaunchHostFunc(s, [](void *p) { *(int *)p = 42; }, host));
    CUDA(cudaStreamSynchronize(s));
    printf("%d\n", host[0]);
    CUDA(cudaFree(a));
    CUDA(cudaFree(nullptr));
    printf("%s\n", cudaGetErrorName(cudaFree(a)));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaEventDestroy(begin));
}
