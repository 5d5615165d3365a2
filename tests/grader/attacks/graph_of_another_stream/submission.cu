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
    cudaStream_t other;
    cudaEvent_t forked, joined;
    cudaStreamCreate(&other);
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked, s);
    cudaStreamWaitEvent(other, forked);
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8), 0, other>>>(in, out, rows, cols);
    cudaEventRecord(joined, other);
    cudaStreamWaitEvent(s, joined);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
}
