void solve(const float *in, float *out, int n) {
    static float *host = new float[n];
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, in, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
}
