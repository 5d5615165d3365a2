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
    if (is("graph")) {
        cudaGraph_t graph;
        cudaGraphCreate(&graph, 0);
    }
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
