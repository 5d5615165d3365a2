// Each allocation of the graphs' own fails once: the call says cudaErrorMemoryAllocation, and nothing is lost.
#include "check.h"

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);
}
static long live, left = -1; // blocks that are in use; allocations until one fails, -1: none does
static bool fails() {
    return left > 0 && --left == 0;
}
// By the linker's names: nvcc takes malloc and free for its own.
void *give(size_t) __asm__("malloc");
void *give_zeroed(size_t, size_t) __asm__("calloc");
void *give_more(void *, size_t) __asm__("realloc");
void take(void *) __asm__("free");
void *give(size_t n) {
    void *p = fails() ? nullptr : __libc_malloc(n);
    live += p != nullptr;
    return p;
}
void *give_zeroed(size_t n, size_t size) {
    void *p = fails() ? nullptr : __libc_calloc(n, size);
    live += p != nullptr;
    return p;
}
void *give_more(void *old, size_t n) {
    void *p = fails() ? nullptr : __libc_realloc(old, n);
    live += p != nullptr && old == nullptr;
    return p;
}
void take(void *p) {
    live -= p != nullptr;
    __libc_free(p);
}

__global__ void add(int *a, int by) {
    a[threadIdx.x] += by;
}

static int *a;
static cudaStream_t s, t;
static cudaEvent_t e, f;
static void nothing(void *) {}

// The first code that is not success; what was made is destroyed.
#define DO(call)                                                                                   \
    do {                                                                                           \
        if (code == cudaSuccess)                                                                   \
            code = (call);                                                                         \
    } while (0)

static cudaError_t built() {
    cudaError_t code = cudaSuccess;
    cudaGraph_t g = nullptr, inner = nullptr, copy = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaGraphNode_t n[8];
    int by = 1;
    void *args[] = {&a, &by};
    cudaKernelNodeParams kernel = {(void *)add, dim3(1), dim3(4), 0, args, nullptr};
    cudaMemsetParams fill = {a, 0, 1, 4, 4, 1};
    cudaHostNodeParams host = {nothing, nullptr};
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 64;
    cudaUserObject_t object = nullptr;
    DO(cudaGraphCreate(&g, 0));
    DO(cudaGraphCreate(&inner, 0));
    DO(cudaGraphAddHostNode(&n[0], inner, nullptr, 0, &host));
    DO(cudaGraphAddKernelNode(&n[1], inner, n, 1, &kernel));
    DO(cudaGraphAddChildGraphNode(&n[2], g, nullptr, 0, inner));
    DO(cudaGraphAddMemsetNode(&n[3], g, nullptr, 0, &fill));
    DO(cudaGraphAddEmptyNode(&n[4], g, &n[2], 2));
    DO(cudaGraphAddKernelNode(&n[5], g, &n[4], 1, &kernel));
    DO(cudaGraphAddDependencies(g, &n[2], &n[5], nullptr, 1));
    DO(cudaGraphKernelNodeGetParams(n[5], &kernel));
    DO(cudaGraphKernelNodeSetParams(n[5], &kernel));
    DO(cudaUserObjectCreate(&object, nullptr, nothing, 1, cudaUserObjectNoDestructorSync));
    DO(cudaGraphRetainUserObject(g, object, 1, 0));
    DO(cudaGraphClone(&copy, g));
    DO(cudaGraphInstantiate(&exec, g, 0));
    DO(cudaGraphExecUpdate(exec, copy, nullptr) == cudaSuccess ? cudaSuccess : cudaErrorMemoryAllocation);
    kernel.kernelParams = args;
    DO(cudaGraphExecKernelNodeSetParams(exec, n[5], &kernel));
    DO(cudaGraphAddMemAllocNode(&n[6], copy, nullptr, 0, &memory));
    DO(cudaGraphAddMemFreeNode(&n[7], copy, &n[6], 1, memory.dptr));
    long before = left;
    left = -1;
    if (object)
        cudaUserObjectRelease(object);
    for (cudaGraph_t graph : {g, inner, copy})
        if (graph)
            cudaGraphDestroy(graph);
    if (exec)
        cudaGraphExecDestroy(exec);
    left = before;
    return code;
}

static cudaError_t captured() {
    cudaError_t code = cudaSuccess;
    cudaGraph_t g = nullptr;
    int *p = nullptr;
    DO(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    bool begun = code == cudaSuccess;
    DO(cudaMemsetAsync(a, 0, 16, s));
    DO(cudaEventRecord(e, s));
    DO(cudaStreamWaitEvent(t, e, 0));
    DO((add<<<1, 4, 0, t>>>(a, 1), cudaGetLastError()));
    DO(cudaMallocAsync(&p, 64, s));
    DO(cudaFreeAsync(p, s));
    DO(cudaEventRecord(f, t));
    DO(cudaStreamWaitEvent(s, f, 0));
    if (code == cudaSuccess)
        code = cudaStreamEndCapture(s, &g);
    long before = left;
    left = -1;
    if (begun && code != cudaSuccess)
        cudaStreamEndCapture(s, &g);
    if (g)
        cudaGraphDestroy(g);
    (void)cudaGetLastError();
    cudaEventDestroy(e), cudaEventDestroy(f); // with what they stand for
    cudaEventCreate(&e), cudaEventCreate(&f);
    left = before;
    return code;
}

static void each(const char *name, cudaError_t (*run)()) {
    for (int i = 0; i < 3; i++) // tables that only grow have grown
        run();
    int failed = 0, wrong = 0, lost = 0;
    for (long k = 1;; k++) {
        long before = live;
        left = k;
        cudaError_t code = run();
        bool reached = left == 0;
        left = -1;
        (void)cudaGetLastError();
        lost += live != before;
        wrong += code != (reached ? cudaErrorMemoryAllocation : cudaSuccess);
        if (!reached)
            break;
        failed++;
    }
    printf("%s: %s allocations, %d wrong codes, %d lose memory\n", name, failed >= 20 ? "20 or more" : "few", wrong, lost);
}

int main() {
    CUDA(cudaMalloc(&a, 64));
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamCreate(&t));
    CUDA(cudaEventCreate(&e));
    CUDA(cudaEventCreate(&f));
    add<<<1, 4, 0, s>>>(a, 1);
    LAUNCHED;
    each("built", built);
    each("captured", captured);
}
