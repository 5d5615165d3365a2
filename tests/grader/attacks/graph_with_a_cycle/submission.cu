__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}

void solve(const float *in, float *out, int rows, int cols) {
    void *args[] = {&in, &out, &rows, &cols};
    cudaKernelNodeParams params = {};
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2];
    cudaGraphExec_t exec;
    params.func = (void *)transpose;
    params.gridDim = dim3((cols + 31) / 32, (rows + 7) / 8);
    params.blockDim = dim3(32, 8);
    params.kernelParams = args;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &params);
    cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &params);
    cudaGraphAddDependencies(graph, &nodes[1], &nodes[0], nullptr, 1);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
}
