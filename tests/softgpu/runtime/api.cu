// The runtime's promises, case by case. The expected codes are those that CUDA's reference manual
// and a GPU give.
#include "check.h"

#include <cuda_profiler_api.h>
#include <dlfcn.h>
#include <vector>

__device__ int counter = 7;
__device__ float table[4] = {1, 2, 3, 4};
__constant__ int offset_c = 5;
__managed__ int managed = 3;
__device__ int *device_pointer = &counter;

__global__ void add(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i] + offset_c;
}

__global__ void fill(int *a, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = value + i;
}

__global__ void store_at(int *a, long i) {
    a[i] = 1;
}

__global__ void bump() {
    counter += 1;
    managed += 10;
    *device_pointer += 100;
}

__global__ void __launch_bounds__(64) bounded(int *a) {
    a[threadIdx.x] = 1;
}

__global__ void dynamic(int *a, int n) {
    extern __shared__ int tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        tile[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = tile[n - 1 - i];
}

__global__ void statically(int *a) {
    __shared__ int tile[256];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = tile[255 - threadIdx.x];
}

struct Big {
    double d[16];
    char c;
};

__global__ void by_value(Big big, char c, short s, double *out) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = big.d[threadIdx.x] + big.c + c + s;
}

static void copies() {
    std::vector<int> h(1000), back(1000);
    for (int i = 0; i < 1000; i++)
        h[i] = i;
    int *a, *b;
    OK(cudaMalloc(&a, 4000));
    OK(cudaMalloc(&b, 4000));
    EXPECT(((size_t)a & 255) == 0);
    OK(cudaMemcpy(a, h.data(), 4000, cudaMemcpyHostToDevice));
    add<<<4, 256>>>(a, b, 1000);
    OK(cudaGetLastError());
    OK(cudaMemcpy(back.data(), b, 4000, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1000; i++)
        EXPECT(back[i] == i + 5);
    OK(cudaMemcpy(a, b, 4000, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(back.data(), a + 999, 4, cudaMemcpyDefault));
    EXPECT(back[0] == 1004);
    OK(cudaMemset(a, 0xff, 2000));
    OK(cudaMemcpy(back.data(), a, 4000, cudaMemcpyDefault));
    EXPECT(back[499] == -1 && back[500] == 505);
    // Beyond the end, the wrong direction, no direction, host memory on the device's side.
    EXPECT_CODE(cudaMemcpy(a, h.data(), 4004, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_CODE(cudaMemcpy(a + 1, h.data(), 4000, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_CODE(cudaMemcpy(h.data(), a, 4000, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_CODE(cudaMemcpy(a, h.data(), 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    EXPECT_CODE(cudaMemcpy(h.data(), back.data(), 4, cudaMemcpyDeviceToHost),
                cudaErrorInvalidValue);
    EXPECT_CODE(cudaMemcpy(NULL, h.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_CODE(cudaMemset(a, 0, 4001), cudaErrorInvalidValue);
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaGetLastError());
    OK(cudaFree(a));
    OK(cudaFree(b));
}

static void frees() {
    int *a, *h, local;
    OK(cudaMalloc(&a, 100));
    EXPECT_CODE(cudaFree(a + 1), cudaErrorInvalidValue);
    EXPECT_CODE(cudaFreeHost(a), cudaErrorInvalidValue);
    OK(cudaFree(a));
    EXPECT_CODE(cudaFree(a), cudaErrorInvalidValue);
    EXPECT_CODE(cudaFree(&local), cudaErrorInvalidValue);
    EXPECT_CODE(cudaMemset(a, 0, 4), cudaErrorInvalidValue);
    // Host memory may lie where device memory lay before.
    for (int i = 0; i < 300; i++) {
        OK(cudaMalloc(&a, 200000));
        OK(cudaFree(a));
        void *host = malloc(200000);
        OK(cudaMalloc(&a, 200000));
        OK(cudaMemset(a, i, 200000));
        OK(cudaMemcpy(host, a, 200000, cudaMemcpyDeviceToHost));
        OK(cudaMemcpy(a, host, 200000, cudaMemcpyDefault));
        EXPECT(((char *)host)[199999] == (char)i);
        free(host);
        OK(cudaFree(a));
    }
    OK(cudaFree(NULL));
    OK(cudaMallocHost(&h, 100));
    EXPECT_CODE(cudaFree(h), cudaErrorInvalidValue);
    OK(cudaFreeHost(h));
    OK(cudaMalloc(&a, 0));
    EXPECT(a == NULL);
    EXPECT_CODE(cudaMalloc(&a, (size_t)1 << 50), cudaErrorMemoryAllocation);
    EXPECT_CODE(cudaGetLastError(), cudaErrorMemoryAllocation);
    size_t before, after, total;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&a, 64 << 20));
    OK(cudaMemGetInfo(&after, &total));
    EXPECT(before - after >= 64 << 20 && before <= total);
    OK(cudaFree(a));
}

static void pitches() {
    char host[10][16], back[10][20], *p;
    size_t pitch;
    memset(back, 0, sizeof back);
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 16; x++)
            host[y][x] = y * 16 + x;
    OK(cudaMallocPitch(&p, &pitch, 16, 10));
    EXPECT(pitch >= 16 && pitch % 32 == 0);
    OK(cudaMemset2D(p, pitch, 9, 16, 10));
    OK(cudaMemcpy2D(p, pitch, host, 16, 12, 10, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, 20, p, pitch, 16, 10, cudaMemcpyDeviceToHost));
    EXPECT(back[9][11] == (char)(9 * 16 + 11) && back[9][12] == 9 && back[9][16] == 0);
    EXPECT_CODE(cudaMemcpy2D(p, 8, host, 16, 16, 10, cudaMemcpyHostToDevice),
                cudaErrorInvalidPitchValue);
    EXPECT_CODE(cudaMemcpy2D(p, pitch, host, 16, 16, 11, cudaMemcpyHostToDevice),
                cudaErrorInvalidValue);
    OK(cudaFree(p));
    cudaPitchedPtr cube;
    OK(cudaMalloc3D(&cube, make_cudaExtent(16, 5, 2)));
    OK(cudaMemset3D(cube, 1, make_cudaExtent(16, 5, 2)));
    cudaMemcpy3DParms parms = {};
    parms.srcPtr = make_cudaPitchedPtr(host, 16, 16, 5);
    parms.dstPtr = cube;
    parms.extent = make_cudaExtent(16, 5, 2);
    parms.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&parms));
    parms.srcPtr = cube;
    parms.srcPos = make_cudaPos(3, 4, 1);
    parms.dstPtr = make_cudaPitchedPtr(back, 20, 20, 10);
    parms.extent = make_cudaExtent(4, 1, 1);
    parms.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&parms));
    EXPECT(back[0][0] == host[9][3] && back[0][3] == host[9][6]);
    OK(cudaFree(cube.ptr));
}

// A direction that does not match its pointers: as an H100 takes it.
static void directions() {
    int host[2] = {1, 2}, back[2] = {0, 0}, *a, *b;
    OK(cudaMalloc(&a, 8));
    OK(cudaMalloc(&b, 8));
    OK(cudaMemcpy(a, host, 8, cudaMemcpyHostToDevice));
    for (cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost}) {
        OK(cudaMemset(b, 0, 8));
        OK(cudaMemcpy(b, a, 8, kind));
        OK(cudaMemcpy(back, b, 8, cudaMemcpyDeviceToHost));
        EXPECT(back[1] == 2);
    }
    back[1] = 0;
    OK(cudaMemcpy(back, a, 8, cudaMemcpyHostToHost));
    EXPECT(back[1] == 2);
    for (cudaMemcpyKind kind : {cudaMemcpyDeviceToDevice, cudaMemcpyDeviceToHost}) {
        EXPECT_CODE(cudaMemcpy(b, host, 8, kind), cudaErrorInvalidValue);
        EXPECT_CODE(cudaMemcpy(back, host, 8, kind), cudaErrorInvalidValue);
    }
    EXPECT_CODE(cudaMemcpy(back, a, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    OK(cudaMemset(a, 0, 8));
    OK(cudaMemcpyToSymbol(counter, a, 4));
    OK(cudaMemcpyFromSymbol(b, counter, 4));
    int seven = 7;
    OK(cudaMemcpyToSymbol(counter, &seven, 4));
    OK(cudaFree(a));
    OK(cudaFree(b));
}

static void symbols() {
    int value, *address;
    size_t size;
    float f[2];
    OK(cudaMemcpyFromSymbol(&value, counter, 4));
    EXPECT(value == 7);
    value = 40;
    OK(cudaMemcpyToSymbol(counter, &value, 4));
    bump<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&value, counter, 4));
    EXPECT(value == 141); // by name and through device_pointer
    EXPECT(managed == 13);
    managed = 20;
    bump<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    EXPECT(managed == 30);
    OK(cudaMemcpyFromSymbol(f, table, 8, 4));
    EXPECT(f[0] == 2 && f[1] == 3);
    OK(cudaGetSymbolSize(&size, table));
    EXPECT(size == 16);
    OK(cudaGetSymbolAddress((void **)&address, counter));
    OK(cudaMemcpy(&value, address, 4, cudaMemcpyDeviceToHost));
    EXPECT(value == 242);
    EXPECT_CODE(cudaMemcpyToSymbol(table, f, 8, 12), cudaErrorInvalidValue);
    EXPECT_CODE(cudaMemcpyToSymbol((const char *)f, f, 8), cudaErrorInvalidSymbol);
    EXPECT_CODE(cudaMemcpyFromSymbol(f, table, 8, 0, cudaMemcpyHostToDevice),
                cudaErrorInvalidMemcpyDirection);
}

static void launches() {
    int *a, back[256];
    OK(cudaMalloc(&a, 70000));
    fill<<<1, 0>>>(a, 10, 1);
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
    fill<<<0, 1>>>(a, 10, 1);
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
    fill<<<1, 1025>>>(a, 10, 1);
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
    fill<<<1, dim3(1, 1, 65)>>>(a, 10, 1);
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
    fill<<<dim3(1, 65536), 1>>>(a, 10, 1);
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
    bounded<<<1, 128>>>(a);
    EXPECT(cudaGetLastError() != cudaSuccess);
    bounded<<<1, 64>>>(a);
    OK(cudaGetLastError());
    dynamic<<<1, 32, 50000>>>(a, 100);
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    dynamic<<<1, 32, 65536>>>(a, 65536 / 4);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(back, a, 1024, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 16383 && back[255] == 16383 - 255);
    EXPECT_CODE(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000),
                cudaErrorInvalidValue);
    statically<<<1, 256>>>(a);
    OK(cudaMemcpy(back, a, 1024, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 255 && back[255] == 0);
    Big big = {};
    for (int i = 0; i < 16; i++)
        big.d[i] = i;
    big.c = 1;
    by_value<<<1, 32>>>(big, 2, 300, (double *)a);
    double d[16];
    OK(cudaMemcpy(d, a, sizeof d, cudaMemcpyDeviceToHost));
    EXPECT(d[15] == 318);
    int n = 10, value = 5;
    void *args[] = {&a, &n, &value};
    OK(cudaLaunchKernel((const void *)fill, dim3(1), dim3(32), args, 0, 0));
    OK(cudaMemcpy(back, a, 40, cudaMemcpyDeviceToHost));
    EXPECT(back[9] == 14);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    OK(cudaLaunchKernelEx(&config, fill, a, 10, 100));
    OK(cudaMemcpy(back, a, 40, cudaMemcpyDeviceToHost));
    EXPECT(back[9] == 109);
    EXPECT_CODE(cudaLaunchKernel((const void *)&n, dim3(1), dim3(1), args, 0, 0),
                cudaErrorInvalidDeviceFunction);
    OK(cudaLaunchCooperativeKernel((const void *)fill, dim3(1), dim3(32), args, 0, 0));
    EXPECT_CODE(cudaLaunchCooperativeKernel((const void *)fill, dim3(100000), dim3(32), args, 0, 0),
                cudaErrorCooperativeLaunchTooLarge);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, statically));
    EXPECT(attributes.sharedSizeBytes == 1024 && attributes.maxThreadsPerBlock == 1024);
    EXPECT(attributes.binaryVersion == 90 && attributes.ptxVersion == 90 && attributes.numRegs > 0);
    OK(cudaFuncGetAttributes(&attributes, bounded));
    EXPECT(attributes.maxThreadsPerBlock == 64);
    int blocks, size, grid;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, statically, 1024, 0));
    EXPECT(blocks >= 1 && blocks <= 2);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, fill));
    EXPECT(size >= 32 && size <= 1024 && grid >= 1);
}

// A fault: the launch succeeds, everything afterwards tells, and it does not go away.
static void sticky() {
    int *a, back;
    OK(cudaMalloc(&a, 400));
    store_at<<<1, 1>>>(a, 99);
    OK(cudaDeviceSynchronize());
    store_at<<<1, 1>>>(a, 100);
    OK(cudaGetLastError());
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_CODE(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_CODE(cudaMemcpy(&back, a, 4, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
    EXPECT_CODE(cudaMalloc(&a, 4), cudaErrorIllegalAddress);
    store_at<<<1, 1>>>(a, 0);
    EXPECT_CODE(cudaPeekAtLastError(), cudaErrorIllegalAddress);
    EXPECT_CODE(cudaDeviceReset(), cudaErrorIllegalAddress);
}

// Recovers as the worker does after a cell whose kernel faulted: allocations stay.
static void recover() {
    int *a, back;
    auto recover = (void (*)())dlsym(RTLD_DEFAULT, "softgpu_recover");
    auto report = (char *(*)(int))dlsym(RTLD_DEFAULT, "softgpu_report");
    EXPECT(recover != NULL && report != NULL);
    OK(cudaMalloc(&a, 400));
    fill<<<1, 100>>>(a, 100, 5);
    store_at<<<1, 1>>>(a, -1);
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    char *text = report(1);
    EXPECT(strstr(text, "cudaErrorIllegalAddress") != NULL);
    free(text);
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress); // told again,
    EXPECT_CODE(cudaPeekAtLastError(), cudaErrorIllegalAddress);   // and asked for: "answered"
    text = report(0);
    EXPECT(strstr(text, "\"answered\":{\"code\":700") != NULL);
    free(text);
    recover();
    OK(cudaGetLastError());
    OK(cudaMemcpy(&back, a + 99, 4, cudaMemcpyDeviceToHost));
    EXPECT(back == 104);
    store_at<<<1, 1>>>(a, 0);
    OK(cudaDeviceSynchronize());
    text = report(0);
    EXPECT(strstr(text, "\"fault\":null") != NULL && strstr(text, "\"unchecked\":null") != NULL &&
           strstr(text, "\"answered\":null") != NULL);
    free(text);
}

static void null_pointer() {
    store_at<<<1, 1>>>(nullptr, 0);
    OK(cudaGetLastError());
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

static int calls;

static void host_function(void *data) {
    calls += *(int *)data;
}

static void callback(cudaStream_t, cudaError_t status, void *data) {
    calls += status == cudaSuccess ? *(int *)data : 0;
}

static void streams() {
    cudaStream_t s, t;
    cudaEvent_t a, b, untimed;
    unsigned flags;
    int priority, *p, one = 1, ten = 10;
    float ms = -1;
    OK(cudaMalloc(&p, 4 << 20));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -1));
    OK(cudaStreamGetFlags(t, &flags));
    OK(cudaStreamGetPriority(t, &priority));
    EXPECT(flags == cudaStreamNonBlocking && priority == -1);
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    EXPECT_CODE(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(a, s));
    fill<<<4096, 256, 0, s>>>(p, 1 << 20, 0);
    OK(cudaEventRecord(b, s));
    OK(cudaStreamWaitEvent(t, b, 0));
    OK(cudaMemsetAsync(p, 0, 16, t));
    OK(cudaEventSynchronize(b));
    OK(cudaEventQuery(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    EXPECT(ms > 0 && ms < 10000);
    OK(cudaEventRecord(untimed, s));
    EXPECT_CODE(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    OK(cudaLaunchHostFunc(s, host_function, &one));
    OK(cudaStreamAddCallback(s, callback, &ten, 0));
    OK(cudaStreamSynchronize(s));
    EXPECT(calls == 11);
    OK(cudaStreamQuery(s));
    cudaStreamCaptureStatus capturing;
    OK(cudaStreamIsCapturing(s, &capturing));
    EXPECT(capturing == cudaStreamCaptureStatusNone);
    OK(cudaStreamDestroy(s));
    EXPECT_CODE(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    fill<<<1, 1, 0, s>>>(p, 1, 0);
    EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(a));
    EXPECT_CODE(cudaEventRecord(a), cudaErrorInvalidResourceHandle);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaStreamDestroy(t));
}

static void memories() {
    int *m, *h, *d, local[4] = {};
    cudaPointerAttributes attributes;
    OK(cudaMallocManaged(&m, 400));
    m[3] = 1;
    fill<<<1, 100>>>(m, 100, 50);
    OK(cudaDeviceSynchronize());
    EXPECT(m[3] == 53);
    OK(cudaPointerGetAttributes(&attributes, m + 5));
    EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.device == 0);
    cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPrefetchAsync(m, 400, location, 0, 0));
    OK(cudaMemAdvise(m, 400, cudaMemAdviseSetReadMostly, location));
    EXPECT_CODE(cudaMallocManaged(&d, 0), cudaErrorInvalidValue);
    OK(cudaFree(m));
    OK(cudaHostAlloc(&h, 400, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&d, h, 0));
    fill<<<1, 100>>>(d, 100, 7);
    OK(cudaDeviceSynchronize());
    EXPECT(h[99] == 106);
    OK(cudaPointerGetAttributes(&attributes, h));
    EXPECT(attributes.type == cudaMemoryTypeHost);
    OK(cudaFreeHost(h));
    OK(cudaHostRegister(local, sizeof local, cudaHostRegisterDefault));
    fill<<<1, 4>>>(local, 4, 1);
    OK(cudaDeviceSynchronize());
    EXPECT(local[3] == 4);
    EXPECT_CODE(cudaHostRegister(local, sizeof local, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostUnregister(local));
    EXPECT_CODE(cudaHostUnregister(local), cudaErrorHostMemoryNotRegistered);
    OK(cudaPointerGetAttributes(&attributes, local));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    OK(cudaMallocAsync(&d, 400, 0));
    OK(cudaPointerGetAttributes(&attributes, d));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.hostPointer == NULL);
    OK(cudaFreeAsync(d, 0));
    cudaMemPool_t pool;
    unsigned long long threshold = 1 << 20, got = 0;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    EXPECT(got == threshold);
}

static void devices() {
    int n = 0, value, device = -1;
    cudaDeviceProp prop;
    OK(cudaGetDeviceCount(&n));
    EXPECT(n == 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    EXPECT(device == 0);
    EXPECT_CODE(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT_CODE(cudaGetDeviceProperties(&prop, 1), cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&prop, 0));
    EXPECT(strcmp(prop.name, "Warpbook softgpu") == 0);
    EXPECT(prop.major == 9 && prop.minor == 0 && prop.warpSize == 32);
    EXPECT(prop.multiProcessorCount >= 1 && prop.totalGlobalMem > 0);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    EXPECT(value == 9);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(value == 227 * 1024);
    EXPECT_CODE(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0), cudaErrorInvalidValue);
    OK(cudaRuntimeGetVersion(&value));
    EXPECT(value == CUDART_VERSION);
    OK(cudaDriverGetVersion(&value));
    EXPECT(value >= CUDART_VERSION);
    OK(cudaDeviceCanAccessPeer(&value, 0, 0));
    EXPECT(value == 0);
    size_t limit;
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit == 16 << 20);
    OK(cudaProfilerStart());
    OK(cudaProfilerStop());
    OK(cudaDeviceReset());
}

static void errors() {
    EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    EXPECT(strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                  "an illegal memory access was encountered") == 0);
    EXPECT(strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code") == 0);
    cudaIpcMemHandle_t handle;
    EXPECT_CODE(cudaIpcGetMemHandle(&handle, NULL), cudaErrorNotSupported);
    EXPECT_CODE(cudaPeekAtLastError(), cudaErrorNotSupported);
    EXPECT_CODE(cudaGetLastError(), cudaErrorNotSupported);
    OK(cudaPeekAtLastError());
    void *function = (void *)1;
    cudaDriverEntryPointQueryResult found;
    EXPECT_CODE(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, 0, &found),
                cudaErrorNotSupported);
    EXPECT(function == NULL && found == cudaDriverEntryPointSymbolNotFound);
    cudaGetLastError();
}

// An error that nobody asks for, for the report.
static void unchecked() {
    int *a;
    cudaMalloc(&a, 16);
    cudaMemcpy(a, "0123456789abcdef0123456789abcdef", 32, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
}

static const char ptx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 seed = 5;
.visible .entry put(.param .u64 p, .param .u32 v) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [v];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r2, [seed];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd2], %r3;
    ret;
}
)";

static void libraries() {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    int *a, value = 37, *seed;
    size_t bytes;
    OK(cudaLibraryLoadData(&library, ptx, 0, 0, 0, 0, 0, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "put"));
    EXPECT_CODE(cudaLibraryGetKernel(&kernel, library, "nothing"), cudaErrorSymbolNotFound);
    OK(cudaLibraryGetKernel(&kernel, library, "put"));
    OK(cudaLibraryGetGlobal((void **)&seed, &bytes, library, "seed"));
    EXPECT(bytes == 4);
    OK(cudaMalloc(&a, 4));
    void *args[] = {&a, &value};
    OK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, 0));
    OK(cudaMemcpy(&value, a, 4, cudaMemcpyDeviceToHost));
    EXPECT(value == 42);
    OK(cudaLibraryUnload(library));
    EXPECT_CODE(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
    EXPECT_CODE(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, 0),
                cudaErrorInvalidDeviceFunction);
    EXPECT(cudaLibraryLoadData(&library, ".version 8.0\nnonsense", 0, 0, 0, 0, 0, 0) !=
           cudaSuccess);
    EXPECT(cudaLibraryLoadData(&library, "nonsense", 0, 0, 0, 0, 0, 0) != cudaSuccess);
}

int main(int argc, char **argv) {
    static const Case cases[] = {
        {"copies", copies},       {"frees", frees},         {"pitches", pitches},
        {"directions", directions}, {"symbols", symbols},   {"launches", launches},   {"sticky", sticky},
        {"recover", recover},     {"null", null_pointer},   {"streams", streams},
        {"memories", memories},   {"devices", devices},     {"errors", errors},
        {"unchecked", unchecked}, {"libraries", libraries},
    };
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
