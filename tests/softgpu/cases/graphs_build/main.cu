// Graphs that are built node by node, changed and asked, call by call. expected.txt is an H100's.
#include "check.h"

#include <unistd.h>

__global__ void add(int *a, int by) {
    a[blockIdx.x * blockDim.x + threadIdx.x] += by;
}
__global__ void twice(int *a) {
    a[threadIdx.x] *= 2;
}
__global__ void set(int *a, int by) {
    a[threadIdx.x] = by;
}
__device__ int variable[4];

#define S(call) told(#call, (call))
static cudaError_t told(const char *text, cudaError_t e) {
    printf("  %.*s: %s\n", (int)strcspn(text, "("), text, cudaGetErrorName(e));
    (void)cudaGetLastError();
    return e;
}

static int *a;
static cudaStream_t s;
static void values(const char *name, const int *p, int n) {
    int host[16];
    CUDA(cudaMemcpy(host, p, n * sizeof(int), cudaMemcpyDefault));
    printf("  %s:", name);
    for (int i = 0; i < n; i++)
        printf(" %d", host[i]);
    printf("\n");
}
static void title(const char *text) {
    printf("%s\n", text);
    CUDA(cudaMemset(a, 0, 64));
}
static void launch(cudaGraphExec_t exec) {
    S(cudaGraphLaunch(exec, s));
    S(cudaStreamSynchronize(s));
}
static void run(cudaGraph_t graph) {
    cudaGraphExec_t exec = nullptr;
    if (S(cudaGraphInstantiate(&exec, graph, 0)) != cudaSuccess) {
        printf("  %d\n", exec == nullptr);
        return;
    }
    launch(exec);
    CUDA(cudaGraphExecDestroy(exec));
}

static int order[64], n_order;
static void note(void *what) {
    order[n_order++] = (int)(intptr_t)what;
}
static void ordered() {
    printf("  order:");
    for (int i = 0; i < n_order; i++)
        printf(" %d", order[i]);
    printf("\n");
    n_order = 0;
}
static cudaHostNodeParams host(int what) {
    return {note, (void *)(intptr_t)what};
}
static cudaKernelNodeParams kernel(void (*f)(int *, int), void **args, int blocks = 1, int threads = 4) {
    return {(void *)f, dim3(blocks), dim3(threads), 0, args, nullptr};
}
static cudaMemsetParams fill(void *to, unsigned value, unsigned size, size_t width, size_t height = 1, size_t pitch = 0) {
    return {to, pitch, value, size, width, height};
}

static void kernels() {
    title("kernels");
    cudaGraph_t g;
    cudaGraphNode_t n[8];
    int by = 5;
    int *to = a;
    void *args[] = {&to, &by};
    S(cudaGraphCreate(nullptr, 0));
    S(cudaGraphCreate(&g, 1));
    S(cudaGraphCreate(&g, 0));
    cudaKernelNodeParams p = kernel(add, args);
    S(cudaGraphAddKernelNode(&n[0], g, nullptr, 0, &p));
    by = 9; // what was given stays 5
    S(cudaGraphAddKernelNode(&n[1], g, n, 1, &p));
    S(cudaGraphAddKernelNode(nullptr, g, n, 1, &p));
    S(cudaGraphAddKernelNode(&n[2], nullptr, nullptr, 0, &p));
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 1, &p));
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 0, nullptr));
    p.func = nullptr;
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 0, &p));
    p.func = (void *)&order;
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 0, &p));
    p = kernel(add, args, 0);
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 0, &p));
    p = kernel(add, args, 1, 2048);
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 0, &p));
    p = kernel(add, args);
    p.sharedMemBytes = 1 << 20;
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 0, &p));
    p = kernel(add, nullptr);
    S(cudaGraphAddKernelNode(&n[2], g, nullptr, 0, &p));
    cudaGraphNode_t same[] = {n[0], n[0]};
    p = kernel(add, args);
    S(cudaGraphAddKernelNode(&n[2], g, same, 2, &p));
    size_t count = 0;
    CUDA(cudaGraphGetNodes(g, nullptr, &count));
    printf("  %zu nodes\n", count);
    run(g);
    values("a", a, 4);
    S(cudaGraphKernelNodeGetParams(n[0], &p));
    printf("  %d %d %d %d %d\n", p.func == (void *)add, p.gridDim.x, p.blockDim.x, p.sharedMemBytes, *(int *)p.kernelParams[1]);
    S(cudaGraphKernelNodeGetParams(n[0], nullptr));
    p = kernel(set, args);
    S(cudaGraphKernelNodeSetParams(n[0], &p));
    run(g);
    values("a", a, 4);
    cudaKernelNodeAttrValue v = {};
    S(cudaGraphKernelNodeGetAttribute(n[0], cudaLaunchAttributeCooperative, &v));
    printf("  %d\n", v.cooperative);
    v.cooperative = 1;
    S(cudaGraphKernelNodeSetAttribute(n[0], cudaLaunchAttributeCooperative, &v));
    S(cudaGraphKernelNodeCopyAttributes(n[1], n[0]));
    v.cooperative = 0;
    S(cudaGraphKernelNodeGetAttribute(n[1], cudaLaunchAttributeCooperative, &v));
    printf("  %d\n", v.cooperative);
    run(g);
    cudaMemcpy3DParms c;
    S(cudaGraphMemcpyNodeGetParams(n[0], &c)); // of another type
    S(cudaGraphDestroy(g));
}

static void work() {
    title("copies, fills, host functions, events, graphs in graphs");
    cudaGraph_t g, inner, got;
    cudaGraphNode_t n[24], x;
    int h[4] = {1, 2, 3, 4}, back[4] = {0};
    S(cudaGraphCreate(&g, 0));
    S(cudaGraphAddMemcpyNode1D(&n[0], g, nullptr, 0, a, h, 16, cudaMemcpyHostToDevice));
    S(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, a, h, 16, (cudaMemcpyKind)9));
    S(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, a, h, 0, cudaMemcpyHostToDevice));
    S(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, nullptr, h, 16, cudaMemcpyHostToDevice));
    S(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, a, h, 16, cudaMemcpyDeviceToDevice));
    S(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, h, a, 16, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, 8, 4, 2);
    p.dstPtr = make_cudaPitchedPtr(a + 8, 12, 4, 2);
    p.extent = make_cudaExtent(4, 2, 1);
    p.kind = cudaMemcpyDeviceToDevice;
    S(cudaGraphAddMemcpyNode(&n[1], g, n, 1, &p));
    p.extent = make_cudaExtent(16, 2, 1);
    S(cudaGraphAddMemcpyNode(&x, g, n, 1, &p));
    S(cudaGraphAddMemcpyNode(&x, g, n, 1, nullptr));
    cudaMemsetParams m = fill(a + 4, 0x01020304, 4, 2);
    S(cudaGraphAddMemsetNode(&n[2], g, n, 1, &m));
    m = fill(a + 6, 0x0506, 2, 3);
    S(cudaGraphAddMemsetNode(&n[3], g, n, 1, &m));
    m = fill(a + 12, 0x1ff, 1, 1, 2, 8);
    S(cudaGraphAddMemsetNode(&n[4], g, n, 1, &m));
    m = fill(a + 12, 1, 3, 1);
    S(cudaGraphAddMemsetNode(&x, g, n, 1, &m));
    m = fill(a, 1, 1, 0);
    S(cudaGraphAddMemsetNode(&x, g, n, 1, &m));
    m = fill(a, 1, 4, 4, 0);
    S(cudaGraphAddMemsetNode(&x, g, n, 1, &m));
    m = fill(nullptr, 1, 4, 4, 1);
    S(cudaGraphAddMemsetNode(&x, g, n, 1, &m));
    m = fill(h, 1, 4, 4, 1);
    S(cudaGraphAddMemsetNode(&x, g, n, 1, &m));
    m = fill((char *)a + 1, 1, 4, 2, 1);
    S(cudaGraphAddMemsetNode(&x, g, n, 1, &m));
    m = fill(a, 1, 4, 2, 2, 4);
    S(cudaGraphAddMemsetNode(&x, g, n, 1, &m));
    S(cudaGraphAddMemcpyNodeToSymbol(&n[5], g, n, 1, variable, a, 16, 0, cudaMemcpyDeviceToDevice));
    S(cudaGraphAddMemcpyNodeFromSymbol(&n[6], g, &n[5], 1, back, variable, 12, 4, cudaMemcpyDeviceToHost));
    S(cudaGraphAddMemcpyNodeFromSymbol(&x, g, &n[5], 1, back, variable, 16, 4, cudaMemcpyDeviceToHost));
    cudaHostNodeParams f = host(1);
    S(cudaGraphAddHostNode(&n[7], g, &n[6], 1, &f));
    f.fn = nullptr;
    S(cudaGraphAddHostNode(&x, g, nullptr, 0, &f));
    S(cudaGraphAddEmptyNode(&n[8], g, &n[7], 1));
    cudaEvent_t e1, e2, e3;
    CUDA(cudaEventCreate(&e1));
    CUDA(cudaEventCreate(&e2));
    CUDA(cudaEventCreate(&e3));
    S(cudaGraphAddEventRecordNode(&n[9], g, &n[8], 1, e1));
    S(cudaGraphAddEventWaitNode(&n[10], g, &n[9], 1, e2));
    S(cudaGraphAddEventRecordNode(&x, g, &n[8], 1, nullptr));
    S(cudaGraphEventRecordNodeGetEvent(n[9], &e3));
    printf("  %d\n", e3 == e1);
    S(cudaGraphEventWaitNodeGetEvent(n[9], &e3));
    CUDA(cudaGraphCreate(&inner, 0));
    f = host(2);
    cudaGraphNode_t in[4];
    CUDA(cudaGraphAddHostNode(&in[0], inner, nullptr, 0, &f));
    f = host(3);
    CUDA(cudaGraphAddHostNode(&in[1], inner, in, 1, &f));
    S(cudaGraphAddChildGraphNode(&n[11], g, &n[10], 1, inner));
    f = host(4);
    CUDA(cudaGraphAddHostNode(&in[2], inner, &in[1], 1, &f)); // after the copy was made
    S(cudaGraphAddChildGraphNode(&x, g, nullptr, 0, nullptr));
    S(cudaGraphChildGraphNodeGetGraph(n[11], &got));
    size_t count = 0;
    CUDA(cudaGraphGetNodes(got, nullptr, &count));
    printf("  %d %zu\n", got == inner, count);
    f = host(5);
    S(cudaGraphAddHostNode(&n[12], g, &n[11], 1, &f));
    run(g);
    values("a", a, 16);
    values("back", back, 4);
    ordered();
    S(cudaGraphDestroy(got));
    S(cudaGraphDestroy(inner));
    S(cudaGraphDestroy(g));
}

static void edges() {
    title("edges");
    cudaGraph_t g, other;
    cudaGraphNode_t n[8], from[16], to[16], strange;
    cudaGraphEdgeData data[16];
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphCreate(&other, 0));
    cudaHostNodeParams f = host(9);
    CUDA(cudaGraphAddHostNode(&strange, other, nullptr, 0, &f));
    for (int i = 0; i < 5; i++) {
        f = host(i);
        CUDA(cudaGraphAddHostNode(&n[i], g, nullptr, 0, &f));
    }
    cudaGraphNode_t one[] = {n[4], n[2], n[0], n[3]}, two[] = {n[2], n[0], n[3], n[1]};
    S(cudaGraphAddDependencies(g, one, two, nullptr, 4));
    run(g);
    ordered();
    S(cudaGraphAddDependencies(g, one, two, nullptr, 1));
    S(cudaGraphAddDependencies(g, one, one, nullptr, 1));
    S(cudaGraphAddDependencies(g, one, &strange, nullptr, 1));
    S(cudaGraphAddDependencies(g, &strange, one, nullptr, 1));
    S(cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 0));
    S(cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 1));
    S(cudaGraphAddHostNode(&n[5], g, &strange, 1, &f));
    size_t count = 0;
    S(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &count));
    printf("  %zu\n", count);
    count = 6;
    for (int i = 0; i < 6; i++)
        from[i] = to[i] = strange;
    S(cudaGraphGetEdges(g, from, to, data, &count));
    printf("  %zu %d %d\n", count, from[5] == nullptr, to[5] == nullptr);
    count = 2;
    S(cudaGraphGetEdges(g, from, to, nullptr, &count));
    printf("  %zu\n", count);
    S(cudaGraphGetEdges(g, from, nullptr, nullptr, &count));
    S(cudaGraphGetNodes(g, from, nullptr));
    count = 7;
    from[6] = strange;
    S(cudaGraphGetNodes(g, from, &count));
    printf("  %zu %d\n", count, from[6] == nullptr);
    count = 1;
    S(cudaGraphGetRootNodes(g, from, &count));
    printf("  %zu %d\n", count, from[0] == n[4]);
    count = 3;
    S(cudaGraphNodeGetDependencies(n[0], from, nullptr, &count));
    printf("  %zu %d\n", count, from[0] == n[2]);
    count = 3;
    S(cudaGraphNodeGetDependentNodes(n[0], from, nullptr, &count));
    printf("  %zu %d\n", count, from[0] == n[3]);
    S(cudaGraphRemoveDependencies(g, &one[1], &two[1], nullptr, 1));
    S(cudaGraphRemoveDependencies(g, &one[1], &two[1], nullptr, 1));
    CUDA(cudaGraphGetRootNodes(g, nullptr, &count));
    printf("  %zu roots\n", count);
    S(cudaGraphAddDependencies(g, &one[1], &two[1], nullptr, 1));
    S(cudaGraphAddDependencies(g, &n[1], &n[4], nullptr, 1)); // a circle
    run(g);
    cudaGraphInstantiateParams params = {};
    cudaGraphExec_t exec;
    S(cudaGraphInstantiateWithParams(&exec, g, &params));
    printf("  %d %d\n", (int)params.result_out, params.errNode_out == nullptr);
    S(cudaGraphDestroyNode(n[4]));
    CUDA(cudaGraphGetNodes(g, nullptr, &count));
    printf("  %zu nodes\n", count);
    CUDA(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &count));
    printf("  %zu edges\n", count);
    run(g);
    ordered();
    cudaGraph_t copy;
    S(cudaGraphClone(&copy, g));
    S(cudaGraphNodeFindInClone(&from[0], n[0], copy));
    S(cudaGraphNodeFindInClone(&from[1], strange, copy));
    S(cudaGraphNodeFindInClone(&from[1], from[0], g));
    S(cudaGraphDestroyNode(n[0]));
    run(copy);
    ordered();
    S(cudaGraphDestroyNode(from[0]));
    S(cudaGraphDestroy(copy));
    run(g);
    n_order = 0;
    char path[] = "/tmp/graph-XXXXXX";
    close(mkstemp(path));
    S(cudaGraphDebugDotPrint(g, path, cudaGraphDebugDotFlagsVerbose));
    FILE *file = fopen(path, "r");
    char first[32] = "";
    printf("  %d\n", file && fgets(first, 8, file) && strncmp(first, "digraph", 7) == 0);
    fclose(file);
    remove(path);
    S(cudaGraphDebugDotPrint(g, "/nowhere/at/all", 0));
    S(cudaGraphDestroy(g));
    S(cudaGraphDestroy(other));
    CUDA(cudaGraphCreate(&g, 0));
    run(g);
    S(cudaGraphDestroy(g));
    S(cudaGraphDestroy(nullptr));
    S(cudaGraphExecDestroy(nullptr));
    S(cudaGraphLaunch(nullptr, s));
    S(cudaGraphInstantiate(&exec, nullptr, 0));
    S(cudaGraphDestroyNode(nullptr));
}

static const char *result(const cudaGraphExecUpdateResultInfo &info) {
    static const char *names[] = {"success", "error", "topology", "type", "function", "parameters", "unsupported", "function change", "attributes"};
    return names[info.result];
}

static void updates() {
    title("updates");
    cudaGraph_t g, small;
    cudaGraphNode_t n[8];
    cudaGraphExec_t exec;
    cudaEvent_t e1, e2;
    CUDA(cudaEventCreate(&e1));
    CUDA(cudaEventCreate(&e2));
    int *to = a, by = 1, h[4] = {10, 20, 30, 40}, k[4] = {50, 60, 70, 80};
    void *args[] = {&to, &by};
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphCreate(&small, 0));
    cudaHostNodeParams f = host(1);
    cudaGraphNode_t inside;
    CUDA(cudaGraphAddHostNode(&inside, small, nullptr, 0, &f));
    CUDA(cudaGraphAddMemcpyNode1D(&n[0], g, nullptr, 0, a, h, 16, cudaMemcpyHostToDevice));
    cudaKernelNodeParams p = kernel(add, args);
    CUDA(cudaGraphAddKernelNode(&n[1], g, n, 1, &p));
    cudaMemsetParams m = fill(a + 8, 7, 4, 4);
    CUDA(cudaGraphAddMemsetNode(&n[2], g, &n[1], 1, &m));
    f = host(2);
    CUDA(cudaGraphAddHostNode(&n[3], g, &n[2], 1, &f));
    CUDA(cudaGraphAddChildGraphNode(&n[4], g, &n[3], 1, small));
    CUDA(cudaGraphAddEventRecordNode(&n[5], g, &n[4], 1, e1));
    CUDA(cudaGraphAddEmptyNode(&n[6], g, &n[5], 1));
    S(cudaGraphInstantiateWithFlags(&exec, g, 0));
    unsigned long long flags = 9;
    S(cudaGraphExecGetFlags(exec, &flags));
    printf("  %llu\n", flags);
    S(cudaGraphUpload(exec, s));
    launch(exec);
    values("a", a, 12);
    ordered();
    by = 100, to = a + 4;
    p = kernel(set, args, 1, 2);
    S(cudaGraphExecKernelNodeSetParams(exec, n[1], &p));
    p.blockDim.x = 5000;
    S(cudaGraphExecKernelNodeSetParams(exec, n[1], &p));
    S(cudaGraphExecKernelNodeSetParams(exec, n[0], &p));
    p = kernel(add, args);
    S(cudaGraphExecKernelNodeSetParams(exec, inside, &p));
    S(cudaGraphExecMemcpyNodeSetParams1D(exec, n[0], a, k, 8, cudaMemcpyHostToDevice));
    S(cudaGraphExecMemcpyNodeSetParams1D(exec, n[0], a, a + 4, 8, cudaMemcpyDeviceToDevice));
    S(cudaGraphExecMemcpyNodeSetParams1D(exec, n[0], a, nullptr, 8, cudaMemcpyHostToDevice));
    m = fill(a + 9, 5, 4, 2);
    S(cudaGraphExecMemsetNodeSetParams(exec, n[2], &m));
    m = fill(a + 9, 6, 1, 2);
    S(cudaGraphExecMemsetNodeSetParams(exec, n[2], &m));
    m = fill(a + 8, 8, 4, 1, 2, 8);
    S(cudaGraphExecMemsetNodeSetParams(exec, n[2], &m));
    f = host(3);
    S(cudaGraphExecHostNodeSetParams(exec, n[3], &f));
    f.fn = nullptr;
    S(cudaGraphExecHostNodeSetParams(exec, n[3], &f));
    S(cudaGraphExecEventRecordNodeSetEvent(exec, n[5], e2));
    S(cudaGraphExecEventWaitNodeSetEvent(exec, n[5], e2));
    f = host(4);
    CUDA(cudaGraphHostNodeSetParams(inside, &f));
    S(cudaGraphExecChildGraphNodeSetParams(exec, n[4], small));
    CUDA(cudaMemset(a, 0, 64));
    launch(exec);
    values("a", a, 12);
    ordered();
    CUDA(cudaGraphAddHostNode(&inside, small, nullptr, 0, &f));
    S(cudaGraphExecChildGraphNodeSetParams(exec, n[4], small));
    unsigned on = 9;
    S(cudaGraphNodeGetEnabled(exec, n[1], &on));
    printf("  %u\n", on);
    S(cudaGraphNodeSetEnabled(exec, n[1], 0));
    S(cudaGraphNodeSetEnabled(exec, n[2], 0));
    S(cudaGraphNodeSetEnabled(exec, n[0], 0));
    S(cudaGraphNodeSetEnabled(exec, n[3], 0));
    S(cudaGraphNodeSetEnabled(exec, n[6], 0));
    S(cudaGraphNodeGetEnabled(exec, n[1], &on));
    printf("  %u\n", on);
    CUDA(cudaMemset(a, 0, 64));
    launch(exec);
    values("a", a, 12);
    ordered();
    S(cudaGraphNodeSetEnabled(exec, n[1], 1));
    launch(exec);
    values("a", a, 12);
    n_order = 0;

    title("a whole graph anew");
    cudaGraphExecUpdateResultInfo info = {};
    cudaGraph_t copy;
    cudaGraphNode_t x[8];
    CUDA(cudaGraphClone(&copy, g));
    by = 1000, to = a;
    for (int i = 0; i < 7; i++)
        CUDA(cudaGraphNodeFindInClone(&x[i], n[i], copy));
    p = kernel(add, args);
    S(cudaGraphKernelNodeSetParams(x[1], &p));
    f = host(5);
    S(cudaGraphHostNodeSetParams(x[3], &f));
    m = fill(a + 4, 3, 4, 4);
    S(cudaGraphMemsetNodeSetParams(x[2], &m));
    S(cudaGraphMemcpyNodeSetParams1D(x[0], a, k, 16, cudaMemcpyHostToDevice));
    S(cudaGraphExecUpdate(exec, copy, &info));
    printf("  %s\n", result(info));
    launch(exec);
    values("a", a, 12);
    ordered();
    CUDA(cudaGraphAddEmptyNode(&x[7], copy, nullptr, 0));
    S(cudaGraphExecUpdate(exec, copy, &info));
    printf("  %s %d %d\n", result(info), info.errorNode == nullptr, info.errorFromNode == nullptr);
    CUDA(cudaGraphDestroyNode(x[7]));
    CUDA(cudaGraphRemoveDependencies(copy, &x[5], &x[6], nullptr, 1));
    S(cudaGraphExecUpdate(exec, copy, &info));
    printf("  %s %d %d\n", result(info), info.errorNode == x[6], info.errorFromNode == nullptr);
    CUDA(cudaGraphAddDependencies(copy, &x[4], &x[6], nullptr, 1));
    S(cudaGraphExecUpdate(exec, copy, &info));
    printf("  %s %d %d\n", result(info), info.errorNode == x[6], info.errorFromNode == x[4]);
    CUDA(cudaGraphDestroy(copy));
    CUDA(cudaGraphClone(&copy, g));
    CUDA(cudaGraphNodeFindInClone(&x[5], n[5], copy));
    CUDA(cudaGraphNodeFindInClone(&x[6], n[6], copy));
    CUDA(cudaGraphDestroyNode(x[6]));
    CUDA(cudaGraphAddEventWaitNode(&x[6], copy, &x[5], 1, e1));
    S(cudaGraphExecUpdate(exec, copy, &info));
    printf("  %s %d %d\n", result(info), info.errorNode == x[6], info.errorFromNode == nullptr);
    CUDA(cudaGraphDestroy(copy));
    S(cudaGraphExecUpdate(exec, g, &info));
    printf("  %s\n", result(info));
    S(cudaGraphExecUpdate(exec, nullptr, &info));
    S(cudaGraphDestroy(g));
    CUDA(cudaMemset(a, 0, 64));
    launch(exec);
    values("a", a, 12);
    S(cudaGraphExecDestroy(exec));
    n_order = 0;

    title("of any type");
    CUDA(cudaGraphCreate(&g, 0));
    cudaGraphNodeParams q = {};
    q.type = cudaGraphNodeTypeKernel;
    by = 4;
    q.kernel.func = (void *)add;
    q.kernel.gridDim = dim3(2), q.kernel.blockDim = dim3(2);
    q.kernel.kernelParams = args;
    S(cudaGraphAddNode(&n[0], g, nullptr, nullptr, 0, &q));
    q = {};
    q.type = cudaGraphNodeTypeMemset;
    q.memset = {a + 4, 0, 6, 4, 4, 1};
    S(cudaGraphAddNode(&n[1], g, n, nullptr, 1, &q));
    q = {};
    q.type = cudaGraphNodeTypeMemcpy;
    q.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(a, 16, 16, 1);
    q.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(a + 8, 16, 16, 1);
    q.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
    q.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
    S(cudaGraphAddNode(&n[2], g, n, nullptr, 1, &q));
    q = {};
    q.type = cudaGraphNodeTypeHost;
    q.host = {note, (void *)7};
    S(cudaGraphAddNode(&n[3], g, n, nullptr, 1, &q));
    q = {};
    q.type = cudaGraphNodeTypeEmpty;
    S(cudaGraphAddNode(&n[4], g, n, nullptr, 1, &q));
    q.type = (cudaGraphNodeType)12;
    S(cudaGraphAddNode(&n[5], g, n, nullptr, 1, &q));
    S(cudaGraphInstantiateWithFlags(&exec, g, 16));
    S(cudaGraphInstantiateWithFlags(&exec, g, cudaGraphInstantiateFlagUseNodePriority));
    launch(exec);
    values("a", a, 12);
    ordered();
    q = {};
    q.type = cudaGraphNodeTypeHost;
    q.host = {note, (void *)8};
    S(cudaGraphNodeSetParams(n[3], &q));
    S(cudaGraphExecNodeSetParams(exec, n[3], &q));
    S(cudaGraphExecNodeSetParams(exec, n[2], &q));
    launch(exec);
    ordered();
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
}

static int destroyed;
static void destroy(void *) {
    destroyed++;
}

static void memory() {
    title("memory");
    cudaGraph_t g, copy;
    cudaGraphNode_t n[8];
    cudaGraphExec_t exec, second;
    CUDA(cudaGraphCreate(&g, 0));
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 64;
    S(cudaGraphAddMemAllocNode(&n[0], g, nullptr, 0, &p));
    printf("  %d\n", p.dptr != nullptr);
    int *to = (int *)p.dptr, by = 3;
    void *args[] = {&to, &by};
    cudaMemAllocNodeParams r = {};
    S(cudaGraphMemAllocNodeGetParams(n[0], &r));
    printf("  %d %zu\n", r.dptr == p.dptr, r.bytesize);
    p.bytesize = 0;
    S(cudaGraphAddMemAllocNode(&n[7], g, nullptr, 0, &p));
    cudaKernelNodeParams k = kernel(set, args);
    S(cudaGraphAddKernelNode(&n[1], g, n, 1, &k));
    S(cudaGraphAddMemcpyNode1D(&n[2], g, &n[1], 1, a, to, 16, cudaMemcpyDeviceToDevice));
    S(cudaGraphAddMemFreeNode(&n[3], g, &n[2], 1, to));
    S(cudaGraphAddMemFreeNode(&n[4], g, &n[2], 1, to));
    S(cudaGraphAddMemFreeNode(&n[4], g, &n[2], 1, a));
    void *freed = nullptr;
    S(cudaGraphMemFreeNodeGetParams(n[3], &freed));
    printf("  %d\n", freed == to);
    S(cudaGraphDestroyNode(n[3]));
    S(cudaGraphRemoveDependencies(g, &n[1], &n[2], nullptr, 1));
    S(cudaGraphClone(&copy, g));
    S(cudaGraphInstantiate(&exec, g, 0));
    S(cudaGraphInstantiate(&second, g, 0));
    launch(exec);
    launch(exec);
    values("a", a, 4);
    S(cudaDeviceGraphMemTrim(0));
    S(cudaGraphExecDestroy(exec));
    S(cudaGraphDestroy(g));

    printf("user objects\n");
    cudaUserObject_t object;
    CUDA(cudaGraphCreate(&g, 0));
    S(cudaUserObjectCreate(&object, nullptr, destroy, 1, 0));
    S(cudaUserObjectCreate(&object, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
    S(cudaUserObjectRetain(object, 2));
    S(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    S(cudaUserObjectRelease(object, 2));
    usleep(100000);
    printf("  %d\n", destroyed);
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    S(cudaGraphDestroy(g));
    usleep(100000);
    printf("  %d\n", destroyed);
    S(cudaGraphExecDestroy(exec));
    usleep(100000);
    printf("  %d\n", destroyed);
}

int main(int argc, char **argv) {
    setbuf(stdout, nullptr);
    CUDA(cudaMalloc(&a, 64));
    CUDA(cudaStreamCreate(&s));
    void (*const parts[])() = {kernels, work, edges, updates, memory};
    for (int i = 0; i < 5; i++)
        if (argc < 2 || atoi(argv[1]) == i)
            parts[i]();
}
