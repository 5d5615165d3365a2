__global__ void count(const unsigned char *data, int *bins, int n) {
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&own[data[i]], 1);
    __syncthreads();
    if (own[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

void solve(const unsigned char *data, int *bins, int n) {
    void *args[] = {&data, &bins, &n};
    cudaMemsetParams fill = {};
    cudaKernelNodeParams kernel = {};
    cudaGraph_t graph;
    cudaGraphNode_t filled, counted;
    cudaGraphExec_t exec;
    fill.dst = bins;
    fill.elementSize = 4;
    fill.width = 256;
    fill.height = 1;
    kernel.func = (void *)count;
    kernel.gridDim = dim3(528);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = args;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill);
    cudaGraphAddKernelNode(&counted, graph, &filled, 1, &kernel);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
}
