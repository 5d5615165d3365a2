// Streams that are captured, legal and not, call by call: what each call returns and what graphs come of it. expected.txt
// is an H100's.
#include "check.h"

#include <thread>

__global__ void add(int *a, int by) {
    a[threadIdx.x] += by;
}
__global__ void twice(int *a) {
    a[threadIdx.x] *= 2;
}
struct pair {
    int by;
    int *to;
};
__global__ void structured(pair p) {
    p.to[threadIdx.x] += p.by;
}
__device__ int variable[4];

// Prints what a call returned, after the call's text up to its parenthesis.
#define S(call) told(#call, (call))
static cudaError_t told(const char *text, cudaError_t e) {
    printf("  %.*s: %s\n", (int)strcspn(text, "("), text, cudaGetErrorName(e));
    (void)cudaGetLastError();
    return e;
}
#define K(...)                                                                                     \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        told("launch", cudaGetLastError());                                                        \
    } while (0)

static const char *kinds[] = {"kernel", "memcpy", "memset", "host", "child", "empty", "wait", "record", "signal", "await", "alloc", "free"};

// Types and edges in an order that does not hang on how nodes are numbered: sorted by the text.
static void show(cudaGraph_t graph) {
    size_t n = 0, m = 0, roots = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &n));
    CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &m));
    CUDA(cudaGraphGetRootNodes(graph, nullptr, &roots));
    std::vector<cudaGraphNode_t> nodes(n + 1), from(m + 1), to(m + 1);
    if (n > 0)
        CUDA(cudaGraphGetNodes(graph, nodes.data(), &n));
    if (m > 0)
        CUDA(cudaGraphGetEdges(graph, from.data(), to.data(), nullptr, &m));
    printf("  %zu nodes, %zu roots:", n, roots);
    for (size_t i = 0; i < n; i++) {
        cudaGraphNodeType type;
        CUDA(cudaGraphNodeGetType(nodes[i], &type));
        printf(" %s", kinds[type]);
    }
    printf("; %zu edges:", m);
    auto number = [&](cudaGraphNode_t x) {
        for (size_t i = 0; i < n; i++)
            if (nodes[i] == x)
                return (int)i;
        return -1;
    };
    for (size_t i = 0; i < m; i++)
        printf(" %d-%d", number(from[i]), number(to[i]));
    printf("\n");
}

static void standing(const char *name, cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    cudaError_t e = cudaStreamIsCapturing(stream, &status);
    (void)cudaGetLastError();
    printf("  %s: %s %d\n", name, cudaGetErrorName(e), e == cudaSuccess ? (int)status : -1);
}

static int *a;
static void values(const char *name, const int *p, int n) {
    int host[8];
    CUDA(cudaMemcpy(host, p, n * sizeof(int), cudaMemcpyDefault));
    printf("  %s:", name);
    for (int i = 0; i < n; i++)
        printf(" %d", host[i]);
    printf("\n");
}

static void begin(const char *title) {
    printf("%s\n", title);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemset(a, 0, 64));
}

static int counter;
static void note(void *) {
    counter++;
}
static void increment(void *what) {
    ++*(int *)what;
}

static void run(cudaGraph_t graph, cudaStream_t stream, int times) {
    cudaGraphExec_t exec;
    if (S(cudaGraphInstantiate(&exec, graph, 0)) != cudaSuccess)
        return;
    for (int i = 0; i < times; i++)
        S(cudaGraphLaunch(exec, stream));
    S(cudaStreamSynchronize(stream));
    S(cudaGraphExecDestroy(exec));
}

static cudaStream_t fresh(unsigned flags = 0) {
    cudaStream_t s;
    CUDA(cudaStreamCreateWithFlags(&s, flags));
    return s;
}
static cudaEvent_t event() {
    cudaEvent_t e;
    CUDA(cudaEventCreate(&e));
    return e;
}

static void plain() {
    begin("all kinds of work");
    cudaStream_t s = fresh();
    cudaGraph_t graph, seen = nullptr;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *before = nullptr;
    size_t n_before = 99;
    int *pinned, *b, *result, by = 5, counted = 0, host2[4] = {1, 2, 3, 4};
    CUDA(cudaMallocHost(&pinned, 32));
    CUDA(cudaMallocHost(&result, 32));
    CUDA(cudaMalloc(&b, 64));
    for (int i = 0; i < 8; i++)
        pinned[i] = i, result[i] = 0;
    standing("before", s);
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    standing("during", s);
    S(cudaStreamGetCaptureInfo(s, &status, &id, &seen, &before, nullptr, &n_before));
    printf("  %d %d %d %zu\n", (int)status, id != 0, seen != nullptr, n_before);
    S(cudaMemcpyAsync(a, pinned, 32, cudaMemcpyHostToDevice, s));
    S(cudaStreamGetCaptureInfo(s, &status, &id, &seen, &before, nullptr, &n_before));
    printf("  %zu\n", n_before);
    K(add<<<1, 8, 0, s>>>(a, by));
    by = 7; // what was passed stays 5
    S(cudaMemsetAsync(b, 0, 64, s));
    S(cudaMemcpyAsync(b, a, 32, cudaMemcpyDeviceToDevice, s));
    S(cudaMemcpy2DAsync(b, 8, host2, 8, 4, 2, cudaMemcpyHostToDevice, s));
    S(cudaMemset2DAsync(b + 1, 8, 1, 4, 2, s));
    S(cudaMemcpyToSymbolAsync(variable, b, 16, 0, cudaMemcpyDeviceToDevice, s));
    S(cudaMemcpyFromSymbolAsync(b, variable, 8, 4, cudaMemcpyDeviceToDevice, s));
    K(structured<<<1, 4, 0, s>>>(pair{100, b + 4}));
    S(cudaLaunchHostFunc(s, increment, &counted));
    S(cudaMemcpyAsync(result, b, 32, cudaMemcpyDeviceToHost, s));
    printf("  nothing has run: %d %d\n", counted, result[7]);
    S(cudaStreamEndCapture(s, &graph));
    printf("  the same graph: %d\n", graph == seen);
    standing("after", s);
    show(graph);
    values("a", a, 8);
    cudaGraphExec_t exec;
    S(cudaGraphInstantiate(&exec, graph, 0));
    S(cudaGraphDestroy(graph)); // the instance lives on
    S(cudaGraphLaunch(exec, s));
    S(cudaStreamSynchronize(s));
    values("a", a, 8);
    values("result", result, 8);
    pinned[0] = 50; // is read when the graph runs
    host2[0] = 60;
    S(cudaGraphLaunch(exec, 0));
    S(cudaDeviceSynchronize());
    values("a", a, 8);
    values("result", result, 8);
    printf("  counted %d\n", counted);
    S(cudaGraphExecDestroy(exec));
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaFree(b));
}

static void misuse() {
    begin("begin and end");
    cudaStream_t s = fresh(), t = fresh();
    cudaGraph_t graph = (cudaGraph_t)16;
    cudaStreamCaptureStatus status;
    S(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    S(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
    S(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)7));
    S(cudaStreamEndCapture(s, &graph));
    printf("  %d\n", graph == (cudaGraph_t)16);
    S(cudaStreamEndCapture(0, &graph));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    standing("s", s);
    S(cudaStreamEndCapture(t, &graph));
    standing("s", s);
    S(cudaStreamEndCapture(s, nullptr));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    printf("  %d\n", graph != nullptr);
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaStreamIsCapturing(s, nullptr));
    S(cudaStreamGetCaptureInfo(s, nullptr));
    S(cudaStreamGetCaptureInfo(s, &status));
    S(cudaStreamEndCapture(s, &graph));
    show(graph);
    run(graph, s, 1); // an empty one
    S(cudaGraphDestroy(graph));
    S(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    K(add<<<1, 4, 0, cudaStreamPerThread>>>(a, 1));
    S(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    show(graph);
    S(cudaGraphDestroy(graph));

    printf("destroying a stream that captures\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaStreamDestroy(s));
    int *p = nullptr;
    S(cudaMalloc(&p, 4));
    S(cudaDeviceSynchronize());
    s = fresh();

    printf("other threads\n");
    for (cudaStreamCaptureMode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
        S(cudaStreamBeginCapture(s, mode));
        std::thread([&] {
            K(add<<<1, 4, 0, s>>>(a, 1));
            S(cudaStreamEndCapture(s, &graph));
        }).join();
        standing("s", s);
        if (S(cudaStreamEndCapture(s, &graph)) == cudaSuccess)
            show(graph);
    }

    printf("a mode of the thread's own\n");
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    S(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("  %d\n", (int)mode);
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaMalloc(&p, 4));
    S(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("  %d\n", (int)mode);
    S(cudaMalloc(&p, 4));
    S(cudaStreamEndCapture(s, &graph));

    printf("work after a capture was invalidated\n");
    cudaEvent_t e = event();
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaStreamSynchronize(s));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaMemcpyAsync(a, a + 4, 4, cudaMemcpyDeviceToDevice, s));
    S(cudaMemsetAsync(a, 0, 4, s));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    S(cudaStreamQuery(s));
    S(cudaStreamSynchronize(s));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaLaunchHostFunc(s, note, nullptr));
    S(cudaMalloc(&p, 4));
    S(cudaDeviceSynchronize());
    K(add<<<1, 4>>>(a, 1));
    S(cudaStreamGetCaptureInfo(s, &status));
    standing("s", s);
    graph = (cudaGraph_t)16;
    S(cudaStreamEndCapture(s, &graph));
    printf("  %d\n", graph == nullptr);
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaStreamSynchronize(s));
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaStreamDestroy(t));
}

static void forks() {
    begin("fork and join");
    cudaStream_t s = fresh(), t = fresh(cudaStreamNonBlocking), u = fresh();
    cudaEvent_t e = event(), f = event(), g = event(), old = event();
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, id2 = 1;
    CUDA(cudaEventRecord(old, u));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    standing("t", t);
    CUDA(cudaStreamGetCaptureInfo(s, &status, &id));
    CUDA(cudaStreamGetCaptureInfo(t, &status, &id2));
    printf("  one capture: %d\n", id == id2);
    K(add<<<1, 4, 0, t>>>(a + 4, 10));
    K(twice<<<1, 4, 0, s>>>(a));
    S(cudaEventRecord(f, t));
    S(cudaStreamWaitEvent(s, f, 0));
    K(twice<<<1, 8, 0, s>>>(a));
    S(cudaEventRecord(g, s));
    S(cudaEventQuery(g));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    standing("t", t);

    printf("fork and join again\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    S(cudaStreamWaitEvent(u, e, 0));
    K(add<<<1, 4, 0, t>>>(a + 4, 10));
    K(twice<<<1, 4, 0, s>>>(a));
    S(cudaMemsetAsync(a + 8, 0, 8, u));
    S(cudaEventRecord(f, t));
    S(cudaEventRecord(g, u));
    S(cudaStreamWaitEvent(s, f, 0));
    S(cudaStreamWaitEvent(s, g, 0));
    S(cudaStreamWaitEvent(s, g, 0)); // once is enough
    K(twice<<<1, 8, 0, s>>>(a));
    S(cudaStreamEndCapture(s, &graph));
    standing("t", t);
    standing("u", u);
    show(graph);
    run(graph, s, 2);
    values("a", a, 8);
    S(cudaGraphDestroy(graph));

    printf("events of a capture that is over\n");
    S(cudaEventQuery(f));
    S(cudaEventSynchronize(f));
    S(cudaStreamWaitEvent(u, f, 0));
    float ms;
    S(cudaEventElapsedTime(&ms, e, f));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaStreamWaitEvent(s, f, 0));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    CUDA(cudaEventRecord(f, u));
    S(cudaEventSynchronize(f));

    printf("not joined\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    K(add<<<1, 4, 0, t>>>(a, 1));
    graph = (cudaGraph_t)16;
    S(cudaStreamEndCapture(s, &graph));
    printf("  %d\n", graph == nullptr);
    standing("t", t);
    printf("forked, without work\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    S(cudaStreamEndCapture(s, &graph));
    printf("joined, and more work\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    K(add<<<1, 4, 0, t>>>(a, 1));
    S(cudaEventRecord(f, t));
    S(cudaStreamWaitEvent(s, f, 0));
    K(add<<<1, 4, 0, t>>>(a, 1));
    S(cudaStreamEndCapture(s, &graph));
    printf("joined, and the event recorded again\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    K(add<<<1, 4, 0, t>>>(a, 1));
    S(cudaEventRecord(f, t));
    K(add<<<1, 4, 0, t>>>(a, 1));
    S(cudaEventRecord(f, t));
    S(cudaStreamWaitEvent(s, f, 0));
    if (S(cudaStreamEndCapture(s, &graph)) == cudaSuccess)
        show(graph);
    printf("ended where it did not begin\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(t, e, 0));
    S(cudaStreamEndCapture(t, &graph));
    standing("s", s);
    standing("t", t);
    S(cudaStreamEndCapture(s, &graph));
    standing("t", t);
    S(cudaStreamEndCapture(t, &graph));
    printf("two captures meet\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaStreamBeginCapture(u, cudaStreamCaptureModeGlobal));
    K(add<<<1, 4, 0, u>>>(a, 1));
    S(cudaEventRecord(e, u));
    S(cudaStreamWaitEvent(s, e, 0));
    standing("s", s);
    standing("u", u);
    S(cudaStreamEndCapture(s, &graph));
    S(cudaStreamEndCapture(u, &graph));
    printf("waiting for what is outside\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaStreamWaitEvent(s, old, 0));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    cudaEvent_t never = event();
    S(cudaStreamWaitEvent(s, never, 0));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    printf("the legacy stream waits for a captured event\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(0, e, 0));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    S(cudaStreamBeginCapture(t, cudaStreamCaptureModeRelaxed)); // t is non-blocking
    S(cudaEventRecord(e, t));
    S(cudaStreamWaitEvent(0, e, 0));
    standing("t", t);
    S(cudaStreamEndCapture(t, &graph));
    printf("events asked while captured\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    S(cudaEventRecord(e, s));
    S(cudaEventElapsedTime(&ms, e, old));
    S(cudaEventElapsedTime(&ms, old, e));
    standing("s", s);
    S(cudaEventQuery(e));
    standing("s", s);
    S(cudaEventSynchronize(e));
    standing("s", s);
    S(cudaEventElapsedTime(&ms, e, old));
    standing("s", s);
    S(cudaEventDestroy(e));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    e = event();
    printf("destroying a forked stream\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    S(cudaEventRecord(e, s));
    S(cudaStreamWaitEvent(u, e, 0));
    K(add<<<1, 4, 0, u>>>(a, 1));
    S(cudaStreamDestroy(u));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    u = fresh();
    printf("the event recorded elsewhere before the wait\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    S(cudaEventRecord(e, s));
    S(cudaEventRecord(e, u));
    S(cudaStreamWaitEvent(t, e, 0));
    standing("t", t);
    S(cudaStreamEndCapture(s, &graph));

    printf("external events\n");
    begin("external");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    S(cudaStreamWaitEvent(s, old, cudaEventWaitExternal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaEventRecordWithFlags(f, s, 9));
    S(cudaStreamWaitEvent(s, old, 9));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    S(cudaStreamWaitEvent(s, old, cudaEventWaitExternal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    S(cudaEventRecordWithFlags(f, s, cudaEventRecordExternal));
    S(cudaStreamEndCapture(s, &graph));
    S(cudaEventRecordWithFlags(g, s, cudaEventRecordExternal));
    S(cudaStreamWaitEvent(s, g, cudaEventWaitExternal));
    show(graph);
    run(graph, s, 1);
    S(cudaEventElapsedTime(&ms, e, f));
    printf("  %d\n", ms >= 0);
    values("a", a, 4);
}

static void into() {
    begin("into a graph, other graphs, memory");
    cudaStream_t s = fresh(), t = fresh();
    cudaGraph_t graph, small, got;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    cudaHostNodeParams host = {note, (void *)1};
    const cudaGraphNode_t *before;
    size_t n_before;
    cudaStreamCaptureStatus status;
    S(cudaGraphCreate(&graph, 0));
    S(cudaGraphAddHostNode(&first, graph, nullptr, 0, &host));
    host.userData = (void *)2;
    S(cudaGraphAddHostNode(&second, graph, nullptr, 0, &host));
    S(cudaStreamBeginCaptureToGraph(s, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
    S(cudaLaunchHostFunc(s, note, (void *)3));
    S(cudaStreamUpdateCaptureDependencies(s, &second, nullptr, 1, cudaStreamAddCaptureDependencies));
    CUDA(cudaStreamGetCaptureInfo(s, &status, nullptr, &got, &before, nullptr, &n_before));
    printf("  %zu %d\n", n_before, got == graph);
    S(cudaLaunchHostFunc(s, note, (void *)4));
    S(cudaStreamUpdateCaptureDependencies(s, &first, nullptr, 1, cudaStreamSetCaptureDependencies));
    S(cudaStreamUpdateCaptureDependencies(s, &first, nullptr, 1, 7));
    S(cudaLaunchHostFunc(s, note, (void *)5));
    S(cudaStreamEndCapture(s, &got));
    S(cudaStreamUpdateCaptureDependencies(s, &first, nullptr, 1, 0));
    printf("  %d\n", got == graph);
    show(graph);
    S(cudaGraphDestroy(graph));
    S(cudaStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));

    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    K(add<<<1, 4, 0, s>>>(a, 1));
    K(twice<<<1, 4, 0, s>>>(a));
    S(cudaStreamEndCapture(s, &small));
    S(cudaGraphInstantiate(&exec, small, 0));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaGraphLaunch(exec, s));
    S(cudaGraphLaunch(exec, s));
    K(add<<<1, 4, 0, s>>>(a, 100));
    S(cudaStreamEndCapture(s, &graph));
    S(cudaGraphLaunch(exec, t));
    S(cudaStreamSynchronize(t));
    values("a", a, 4);

    int *p = nullptr, *q = nullptr;
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaMallocAsync(&p, 64, s));
    S(cudaMemsetAsync(p, 0, 64, s));
    K(add<<<1, 4, 0, s>>>(p, 3));
    S(cudaMemcpyAsync(a, p, 16, cudaMemcpyDeviceToDevice, s));
    S(cudaFreeAsync(p, s));
    S(cudaStreamEndCapture(s, &graph));
    show(graph);
    run(graph, s, 2);
    values("a", a, 4);
    S(cudaGraphDestroy(graph));
    S(cudaMallocAsync(&q, 64, t));
    S(cudaStreamSynchronize(t));
    S(cudaGraphInstantiate(&exec, small, 0));
    S(cudaGraphDestroy(small));
    S(cudaGraphLaunch(exec, s));
    S(cudaGraphExecDestroy(exec));
    S(cudaStreamSynchronize(s));
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    S(cudaFreeAsync(q, s));
    standing("s", s);
    S(cudaStreamEndCapture(s, &graph));
    for (unsigned flags : {0u, 1u}) {
        printf("memory that stays, flags %u\n", flags);
        S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        S(cudaMallocAsync(&p, 64, s));
        S(cudaMemsetAsync(p, 1, 64, s));
        S(cudaStreamEndCapture(s, &graph));
        S(cudaGraphInstantiate(&exec, graph, flags));
        S(cudaGraphLaunch(exec, s));
        S(cudaStreamSynchronize(s));
        values("p", p, 1);
        S(cudaGraphLaunch(exec, s));
        S(cudaStreamSynchronize(s));
        S(cudaFree(p));
        S(cudaGraphLaunch(exec, s));
        S(cudaFreeAsync(p, s));
        S(cudaStreamSynchronize(s));
        S(cudaGraphExecDestroy(exec));
        S(cudaGraphDestroy(graph));
    }
    printf("a cooperative launch, a launch that is refused, printf\n");
    S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    int one = 1;
    void *args[] = {&a, &one};
    S(cudaLaunchCooperativeKernel((const void *)add, dim3(1), dim3(4), args, 0, s));
    S(cudaStreamEndCapture(s, &graph));
    show(graph);
    run(graph, s, 1);
    for (int i = 0; i < 5; i++) {
        S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        if (i == 0)
            K(add<<<1, 4000, 0, s>>>(a, 1));
        else if (i == 1)
            K(add<<<0, 4, 0, s>>>(a, 1));
        else if (i == 2)
            K(add<<<1, 4, 1 << 20, s>>>(a, 1));
        else if (i == 3)
            S(cudaLaunchKernel((const void *)&counter, dim3(1), dim3(1), args, 0, s));
        else
            S(cudaLaunchCooperativeKernel((const void *)add, dim3(1 << 20), dim3(4), args, 0, s));
        standing("s", s);
        S(cudaStreamEndCapture(s, &graph));
    }
}

int main(int argc, char **argv) {
    setbuf(stdout, nullptr);
    CUDA(cudaMalloc(&a, 64));
    void (*const parts[])() = {plain, misuse, forks, into};
    for (int i = 0; i < 4; i++)
        if (argc < 2 || atoi(argv[1]) == i)
            parts[i]();
}
