__global__ void add(int *a, int by) { a[threadIdx.x] += by; }
int *a, host[4];
cudaStream_t stream;
cudaGraph_t graph;
cudaGraphExec_t instance;
cudaMalloc(&a, sizeof host);
cudaMemset(a, 0, sizeof host);
cudaStreamCreate(&stream);
cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
for (int i = 1; i <= 3; i++)
    add<<<1, 4, 0, stream>>>(a, i);
cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream);
cudaStreamEndCapture(stream, &graph);
cudaGraphInstantiate(&instance, graph, 0)
