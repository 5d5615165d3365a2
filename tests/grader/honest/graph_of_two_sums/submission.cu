// Two launches and the memory between them, captured and launched as one graph.
__device__ float of_block(float t) {
    __shared__ float s[8];
    for (int i = 16; i; i /= 2)
        t += __shfl_down_sync(~0u, t, i);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = t;
    __syncthreads();
    t = threadIdx.x < 8 ? s[threadIdx.x] : 0;
    for (int i = 4; i; i /= 2)
        t += __shfl_down_sync(~0u, t, i);
    return t;
}

__global__ void parts(const float *in, float *p, int n) {
    const float4 *in4 = (const float4 *)in;
    float t = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
        float4 v = in4[i];
        t += v.x + v.y + v.z + v.w;
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        t += in[n / 4 * 4 + threadIdx.x];
    t = of_block(t);
    if (threadIdx.x == 0)
        p[blockIdx.x] = t;
}

__global__ void last(const float *p, float *out, int n) {
    float t = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        t += p[i];
    t = of_block(t);
    if (threadIdx.x == 0)
        *out = t;
}

void solve(const float *in, float *out, int n) {
    const int blocks = 1056;
    float *p;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&p, blocks * sizeof *p, s);
    parts<<<blocks, 256, 0, s>>>(in, p, n);
    last<<<1, 256, 0, s>>>(p, out, blocks);
    cudaFreeAsync(p, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
}
