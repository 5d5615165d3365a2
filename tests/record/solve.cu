// A driver as the grader generates it, and a solve() that does what its first argument names.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/record/record.h"

extern "C" int cublasCreate_v2(void **handle);

struct Pair {
    float *p;
    int n;
    float *q;
};

__constant__ float coeff[4];
__managed__ int counter;

__global__ void axpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i] * coeff[0];
}

__global__ void from_struct(Pair s) {
    if (threadIdx.x < s.n)
        s.p[threadIdx.x] = s.q[threadIdx.x];
}

// Two ints side by side that look like a pointer if one reads them as one word.
__global__ void ints(int low, int high, float *y) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = low + high + counter;
    y[threadIdx.x] = tile[threadIdx.x];
}

static void host_function(void *) {
}

// A stream whose work goes into a graph, with a temporary of the graph's own.
static cudaGraph_t captured(const float *x, float *y, int n) {
    static const float c[2] = {5, 6};
    cudaStream_t stream;
    cudaGraph_t graph;
    float *tmp;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&tmp, 64, stream);
    cudaMemsetAsync(y, 1, 8, stream);
    cudaMemcpyToSymbolAsync(coeff, c, 8, 8, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(tmp, x + 1, 16, cudaMemcpyDeviceToDevice, stream);
    axpy<<<1, 32, 0, stream>>>(2, tmp, y, 4);
    cudaFreeAsync(tmp, stream);
    cudaStreamEndCapture(stream, &graph);
    return graph;
}

// A copy behind a fill behind a kernel, added in another order.
static cudaGraph_t of_nodes(const float *x, float *y, unsigned value) {
    float a = 1;
    int n = 8;
    void *args[] = {&a, &x, &y, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)axpy;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = args;
    cudaMemsetParams fill = {};
    fill.dst = y + 4;
    fill.elementSize = 4;
    fill.width = 2;
    fill.height = 1;
    fill.value = value;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[3];
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&nodes[2], graph, nullptr, 0, y, x, 12, cudaMemcpyDeviceToDevice);
    cudaGraphAddMemsetNode(&nodes[1], graph, nullptr, 0, &fill);
    cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &kernel);
    cudaGraphAddDependencies(graph, nodes, nodes + 1, nullptr, 2);
    return graph;
}

static void graphs(const char *what, const float *x, float *y, int n) {
    auto is = [&](const char *name) { return strcmp(what, name) == 0; };
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    if (is("_host")) {
        cudaHostNodeParams host = {host_function, nullptr};
        cudaGraphNode_t node;
        cudaGraphCreate(&graph, 0);
        cudaGraphAddHostNode(&node, graph, nullptr, 0, &host);
    }
    graph = is("_nodes") ? of_nodes(x, y, 0) : is("_pattern") ? of_nodes(x, y, 0x3f800000) : captured(x, y, n);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < (is("_twice") ? 2 : is("_never") ? 0 : 1); i++)
        cudaGraphLaunch(exec, 0);
}

static void solve(const char *what, const float *x, float *y, int n) {
    float *tmp, host = 0;
    auto is = [&](const char *name) { return strcmp(what, name) == 0; };
    if (is("plain")) {
        const float c[4] = {1, 2, 3, 4};
        cudaMalloc(&tmp, n * 4);
        cudaMemset(tmp, 0x1ff, n * 4);
        cudaMemset2D(tmp, 64, 7, 16, 3);
        cudaMemcpyToSymbol(coeff, c + 1, 8, 4);
        axpy<<<(n + 255) / 256, 256>>>(2, x, tmp + 1, n);
        from_struct<<<1, 32>>>(Pair{y, n, tmp + 5});
        cudaFuncSetAttribute(ints, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
        ints<<<1, 64, 65536>>>(0x15101000, 0x2a37, y - 1);
        cudaMemcpy(tmp, c, sizeof c, cudaMemcpyHostToDevice);
        cudaMemcpy(y, tmp + 1, 8, cudaMemcpyDefault);
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        axpy<<<1, 32, 0, stream>>>(1, x, y, n);
        cudaStreamDestroy(stream);
        cudaFree(tmp);
        cudaDeviceSynchronize();
    }
    if (is("readback"))
        cudaMemcpy(&host, y, 4, cudaMemcpyDeviceToHost);
    if (is("symbol_readback"))
        cudaMemcpyFromSymbol(&host, coeff, 4);
    if (is("symbol_copies")) {
        cudaMemcpyFromSymbol(y + 2, coeff, 12, 4, cudaMemcpyDeviceToDevice);
        cudaMemcpyToSymbolAsync(coeff, x, 8, 0, cudaMemcpyDefault, 0);
        cudaMemcpyFromSymbolAsync(y, coeff, 0, 0, cudaMemcpyDefault, 0);
    }
    if (is("argument_up")) {
        cudaMalloc(&tmp, n * 4);
        cudaMemcpy(tmp, x, n * 4, cudaMemcpyHostToDevice);
    }
    if (is("argument_down")) {
        cudaMalloc(&tmp, n * 4);
        cudaMemcpyAsync(y, tmp, n * 4, cudaMemcpyDeviceToHost);
    }
    if (is("symbol_beyond"))
        cudaMemcpyFromSymbol(y, coeff, 8, 12, cudaMemcpyDeviceToDevice);
    if (is("into_argument"))
        cudaMemcpy(y, &host, 4, cudaMemcpyHostToDevice);
    if (is("large_upload")) {
        cudaMalloc(&tmp, 1 << 20);
        cudaMemcpy(tmp, calloc(1, 1 << 20), 1 << 20, cudaMemcpyHostToDevice);
    }
    if (is("threads"))
        axpy<<<1, 2048>>>(2, x, y, n);
    if (is("shared"))
        ints<<<1, 64, 65536>>>(1, 2, y);
    if (is("beyond"))
        cudaMemset(y + 1, 0, n * 4);
    if (is("checked")) {
        cudaMemset(y + 1, 0, n * 4);
        cudaGetLastError();
    }
    if (strncmp(what, "graph", 5) == 0)
        graphs(what + 5, x, y, n);
    if (is("managed"))
        counter = 1;
    if (is("malloc_managed"))
        cudaMallocManaged(&tmp, 64);
    if (is("pinned")) {
        cudaMallocHost(&tmp, 64);
        axpy<<<1, 1>>>(1, x, tmp + 3, 1);
    }
    if (is("freed")) {
        cudaMalloc(&tmp, n * 4);
        cudaFree(tmp);
        axpy<<<1, 64>>>(2, x, tmp, n);
    }
    if (is("free_argument"))
        cudaFree(y);
    if (is("host_function"))
        cudaLaunchHostFunc(0, host_function, nullptr);
    if (is("clock")) {
        cudaEvent_t a, b;
        cudaEventCreate(&a);
        cudaEventCreate(&b);
        cudaEventRecord(a);
        cudaEventRecord(b);
        cudaEventElapsedTime(&host, a, b);
    }
    if (is("cublas")) {
        void *handle;
        cublasCreate_v2(&handle);
    }
    if (is("reset"))
        cudaDeviceReset();
    if (is("exit"))
        exit(0);
    if (is("touch"))
        y[0] = 1;
    if (is("abort"))
        abort();
    if (is("device")) {
        cudaDeviceProp prop;
        int blocks = 0, sms = 0;
        cudaGetDeviceProperties(&prop, 0);
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, axpy, 256, 0);
        printf("%s %d %d %d\n", prop.name, prop.multiProcessorCount, sms, blocks);
    }
    for (int i = 0; is("endless") && i < 70000; i++)
        cudaMemset(y, 0, 4);
}

int main(int argc, char **argv) {
    float *x = (float *)wb_record_buffer("x", 4000), *y = (float *)wb_record_buffer("y", 4000);
    if (argc > 2)
        axpy<<<1, 1>>>(1, x, y, 1); // outside solve()
    wb_record_begin();
    solve(argv[1], x, y, 1000);
    wb_record_end();
}
