// Shows what a running capture allows. A line for each call has, for each capture mode, the code of the call, how the
// capture stands after it, and what cudaStreamEndCapture says. expected.txt is an H100's.
#include "check.h"

#include <thread>

__global__ void add(int *a, int by) {
    a[threadIdx.x] += by;
}
__global__ void large(int *a) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = a[threadIdx.x];
}
__device__ int variable[4];

static cudaStream_t s, other, loose; // s captures
static cudaEvent_t event, spare;
static int *a, *b, *managed, host[4], *pinned;
static cudaGraph_t graph;
static cudaGraphExec_t exec;

struct call {
    const char *name;
    cudaError_t (*run)();
};

static void nothing(void *) {}
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *) {}
static int junk[4096];

static cudaError_t launch(void (*kernel)(int *, int), int threads, cudaStream_t stream) {
    kernel<<<1, threads, 0, stream>>>(a, 1);
    return cudaGetLastError();
}

#define CALL(name, ...)                                                                            \
    {name, []() -> cudaError_t { __VA_ARGS__; }}

static const call calls[] = {
    CALL("launch", return launch(add, 4, s)),
    CALL("launch of 2048 threads", return launch(add, 2048, s)),
    CALL("launch, legacy stream", return launch(add, 4, 0)),
    CALL("launch, per-thread stream", return launch(add, 4, cudaStreamPerThread)),
    CALL("launch, other stream", return launch(add, 4, other)),
    CALL("launch, non-blocking stream", return launch(add, 4, loose)),
    CALL("cudaMemcpyAsync", return cudaMemcpyAsync(a, b, 4, cudaMemcpyDeviceToDevice, s)),
    CALL("cudaMemcpyAsync from the stack", int x = 1; return cudaMemcpyAsync(a, &x, 4, cudaMemcpyHostToDevice, s)),
    CALL("cudaMemcpyAsync, legacy stream", return cudaMemcpyAsync(a, b, 4, cudaMemcpyDeviceToDevice, 0)),
    CALL("cudaMemcpyAsync of nothing", return cudaMemcpyAsync(a, b, 0, cudaMemcpyDeviceToDevice, s)),
    CALL("cudaMemcpyAsync beyond", return cudaMemcpyAsync(a, b, 1 << 28, cudaMemcpyDeviceToDevice, s)),
    CALL("cudaMemcpy", return cudaMemcpy(a, host, 4, cudaMemcpyHostToDevice)),
    CALL("cudaMemcpy device to device", return cudaMemcpy(a, b, 4, cudaMemcpyDeviceToDevice)),
    CALL("cudaMemcpyToSymbol", return cudaMemcpyToSymbol(variable, host, 4)),
    CALL("cudaMemcpyToSymbolAsync", return cudaMemcpyToSymbolAsync(variable, host, 4, 0, cudaMemcpyHostToDevice, s)),
    CALL("cudaMemset", return cudaMemset(a, 0, 4)),
    CALL("cudaMemsetAsync", return cudaMemsetAsync(a, 0, 4, s)),
    CALL("cudaMemset2DAsync", return cudaMemset2DAsync(a, 8, 0, 4, 2, s)),
    CALL("cudaLaunchHostFunc", return cudaLaunchHostFunc(s, nothing, 0)),
    CALL("cudaStreamAddCallback", return cudaStreamAddCallback(s, callback, 0, 0)),
    CALL("cudaStreamAddCallback, other stream", return cudaStreamAddCallback(other, callback, 0, 0)),
    CALL("cudaStreamSynchronize", return cudaStreamSynchronize(s)),
    CALL("cudaStreamSynchronize, other stream", return cudaStreamSynchronize(other)),
    CALL("cudaStreamSynchronize, legacy stream", return cudaStreamSynchronize(0)),
    CALL("cudaStreamQuery", return cudaStreamQuery(s)),
    CALL("cudaStreamQuery, other stream", return cudaStreamQuery(other)),
    CALL("cudaStreamQuery, legacy stream", return cudaStreamQuery(0)),
    CALL("cudaDeviceSynchronize", return cudaDeviceSynchronize()),
    CALL("cudaEventRecord", return cudaEventRecord(spare, s)),
    CALL("cudaEventRecord, legacy stream", return cudaEventRecord(spare, 0)),
    CALL("cudaEventRecord, other stream", return cudaEventRecord(spare, other)),
    CALL("cudaEventQuery", return cudaEventQuery(event)),
    CALL("cudaEventSynchronize", return cudaEventSynchronize(event)),
    CALL("cudaEventElapsedTime", float ms; return cudaEventElapsedTime(&ms, event, event)),
    CALL("cudaStreamWaitEvent", return cudaStreamWaitEvent(s, event, 0)),
    CALL("cudaStreamWaitEvent, legacy stream", return cudaStreamWaitEvent(0, event, 0)),
    CALL("cudaStreamWaitEvent, other stream", return cudaStreamWaitEvent(other, event, 0)),
    CALL("cudaMalloc", int *p = 0; cudaError_t e = cudaMalloc(&p, 4); return e),
    CALL("cudaMallocManaged", int *p = 0; return cudaMallocManaged(&p, 4)),
    CALL("cudaMallocHost", int *p = 0; return cudaMallocHost(&p, 4)),
    CALL("cudaHostAlloc", int *p = 0; return cudaHostAlloc(&p, 4, 0)),
    CALL("cudaMallocPitch", int *p = 0; size_t pitch; return cudaMallocPitch(&p, &pitch, 4, 4)),
    CALL("cudaMallocAsync, other stream", int *p = 0; return cudaMallocAsync(&p, 4, other)),
    CALL("cudaFree", return cudaFree(0)),
    CALL("cudaFree of memory", int *p = b; b = 0; return cudaFree(p)),
    CALL("cudaFreeHost", return cudaFreeHost(0)),
    CALL("cudaFreeHost of memory", int *p = pinned; pinned = 0; return cudaFreeHost(p)),
    CALL("cudaHostRegister", return cudaHostRegister(junk, sizeof junk, 0)),
    CALL("cudaHostUnregister", return cudaHostUnregister(junk)),
    CALL("cudaMemGetInfo", size_t x, y; return cudaMemGetInfo(&x, &y)),
    CALL("cudaPointerGetAttributes", cudaPointerAttributes x; return cudaPointerGetAttributes(&x, a)),
    CALL("cudaGetSymbolAddress", void *p; return cudaGetSymbolAddress(&p, variable)),
    CALL("cudaMemPrefetchAsync", cudaMemLocation at = {cudaMemLocationTypeDevice, 0}; return cudaMemPrefetchAsync(managed, 4, at, 0, s)),
    CALL("cudaStreamAttachMemAsync", return cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachSingle)),
    CALL("cudaStreamCreate", cudaStream_t x; return cudaStreamCreate(&x)),
    CALL("cudaStreamDestroy, other stream", cudaStream_t x = other; cudaStreamCreate(&other); return cudaStreamDestroy(x)),
    CALL("cudaEventCreate", cudaEvent_t x; return cudaEventCreate(&x)),
    CALL("cudaEventDestroy", cudaEvent_t x = spare; cudaEventCreate(&spare); return cudaEventDestroy(x)),
    CALL("cudaStreamGetPriority", int x; return cudaStreamGetPriority(s, &x)),
    CALL("cudaStreamGetFlags", unsigned x; return cudaStreamGetFlags(s, &x)),
    CALL("cudaStreamGetCaptureInfo, legacy stream", cudaStreamCaptureStatus x; return cudaStreamGetCaptureInfo(0, &x)),
    CALL("cudaStreamIsCapturing, legacy stream", cudaStreamCaptureStatus x; return cudaStreamIsCapturing(0, &x)),
    CALL("cudaStreamIsCapturing, other stream", cudaStreamCaptureStatus x; return cudaStreamIsCapturing(other, &x)),
    CALL("cudaStreamBeginCapture", return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)),
    CALL("cudaStreamBeginCapture, legacy stream", return cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)),
    CALL("cudaFuncGetAttributes", cudaFuncAttributes x; return cudaFuncGetAttributes(&x, large)),
    CALL("cudaFuncSetAttribute", return cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000)),
    CALL("cudaOccupancyMaxActiveBlocks", int x; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&x, large, 64, 0)),
    CALL("cudaGetDeviceProperties", cudaDeviceProp x; return cudaGetDeviceProperties(&x, 0)),
    CALL("cudaSetDevice", return cudaSetDevice(0)),
    CALL("cudaDeviceSetLimit", return cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20)),
    CALL("cudaGraphInstantiate", cudaGraphExec_t x; return cudaGraphInstantiate(&x, graph, 0)),
    CALL("cudaGraphLaunch", return cudaGraphLaunch(exec, s)),
    CALL("cudaGraphLaunch, other stream", return cudaGraphLaunch(exec, other)),
    CALL("cudaGraphLaunch, legacy stream", return cudaGraphLaunch(exec, 0)),
    CALL("cudaGraphUpload", return cudaGraphUpload(exec, s)),
    CALL("cudaGraphUpload, other stream", return cudaGraphUpload(exec, other)),
    CALL("cudaMemcpyPeerAsync", return cudaMemcpyPeerAsync(a, 0, managed, 0, 4, s)),
};

static const char *standing(cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess)
        return "?";
    return status == cudaStreamCaptureStatusActive ? "active" : status == cudaStreamCaptureStatusInvalidated ? "invalidated" : "none";
}

static void line(const call &c, const char *how, cudaStreamCaptureMode mode, bool blocking, bool elsewhere) {
    cudaError_t got = cudaSuccess;
    cudaGraph_t captured = nullptr;
    size_t nodes = 0;
    if (b == nullptr)
        CUDA(cudaMalloc(&b, 64));
    if (pinned == nullptr)
        CUDA(cudaMallocHost(&pinned, 64));
    CUDA(cudaStreamCreateWithFlags(&s, blocking ? cudaStreamDefault : cudaStreamNonBlocking));
    CUDA(cudaStreamBeginCapture(s, mode));
    if (elsewhere)
        std::thread([&] { got = c.run(), (void)cudaGetLastError(); }).join();
    else
        got = c.run(), (void)cudaGetLastError();
    const char *after = standing(s);
    cudaError_t end = cudaStreamEndCapture(s, &captured);
    if (captured != nullptr)
        CUDA(cudaGraphGetNodes(captured, nullptr, &nodes));
    printf("  %-12s %s, %s, %s, %d nodes\n", how, cudaGetErrorName(got), after, cudaGetErrorName(end), captured ? (int)nodes : -1);
    if (captured != nullptr)
        CUDA(cudaGraphDestroy(captured));
    (void)cudaGetLastError();
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
    setbuf(stdout, nullptr);
    CUDA(cudaStreamCreate(&other));
    CUDA(cudaStreamCreateWithFlags(&loose, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&event));
    CUDA(cudaEventCreate(&spare));
    CUDA(cudaEventRecord(event, other));
    CUDA(cudaMalloc(&a, 64));
    CUDA(cudaMallocManaged(&managed, 64));
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, s>>>(a, 1);
    CUDA(cudaStreamEndCapture(s, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaStreamDestroy(s));
    for (const call &c : calls) {
        if (argc > 1 && strcmp(argv[1], c.name) != 0)
            continue;
        printf("%s\n", c.name);
        line(c, "global", cudaStreamCaptureModeGlobal, true, false);
        line(c, "thread-local", cudaStreamCaptureModeThreadLocal, true, false);
        line(c, "relaxed", cudaStreamCaptureModeRelaxed, true, false);
        line(c, "non-blocking", cudaStreamCaptureModeRelaxed, false, false);
        line(c, "elsewhere", cudaStreamCaptureModeGlobal, true, true);
        line(c, "elsewhere, t", cudaStreamCaptureModeThreadLocal, true, true);
    }
}
