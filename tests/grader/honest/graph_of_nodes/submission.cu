__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}

void solve(const float *in, float *out, int rows, int cols) {
    void *args[] = {&in, &out, &rows, &cols};
    cudaKernelNodeParams params = {};
    cudaGraph_t inner, outer;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    params.func = (void *)transpose;
    params.gridDim = dim3((cols + 31) / 32, (rows + 7) / 8);
    params.blockDim = dim3(32, 8);
    params.kernelParams = args;
    cudaGraphCreate(&inner, 0);
    cudaGraphCreate(&outer, 0);
    cudaGraphAddKernelNode(&node, inner, nullptr, 0, &params);
    cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, inner);
    cudaGraphInstantiate(&exec, outer, 0);
    cudaGraphLaunch(exec, 0);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(outer);
    cudaGraphDestroy(inner);
}
