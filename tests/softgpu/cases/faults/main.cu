// Each way to go wrong, one a run. What the program sees is the error code; what the student reads is in
// the report: which access, where in the source, by which block and thread.
#include "check.h"
#include <string>

__global__ void write_beyond(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = n;
}
__global__ void read_before(const int *a, int *out) {
    out[threadIdx.x] = a[(int)threadIdx.x - 40];
}
__global__ void misaligned(char *a) {
    *(int *)(a + threadIdx.x) = 1;
}
__global__ void through_null(int *p) {
    if (threadIdx.x == 3)
        *p = 1;
}
__global__ void beyond_shared(int *out, int at) {
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + at];
}
__global__ void beyond_dynamic(int at) {
    extern __shared__ float d[];
    d[threadIdx.x + at] = 1;
}
__constant__ int fixed[4];
__global__ void write_constant(const int *p) {
    *(int *)p = 1;
}
__global__ void trap() {
    if (threadIdx.x == 3)
        __trap();
}
__global__ void endless(volatile int *flag) {
    while (*flag == 0)
        ;
}
__device__ __noinline__ int deep(int n) {
    volatile int pad[64];
    pad[n % 64] = n;
    return n < 0 ? 0 : deep(n + 1) + pad[(n + 1) % 64];
}
__global__ void recursion(int *out) {
    *out = deep(1);
}
__global__ void stuck_barrier() {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 2, 64;");
}
__global__ void wild_call(void (**f)()) {
    (*f)();
}
__global__ void float4_misaligned(float *p) {
    *(float4 *)(p + 1) = make_float4(1, 2, 3, 4);
}
__global__ void atomic_beyond(int *p) {
    atomicAdd(p + 1000 + threadIdx.x, 1);
}
__global__ void local_beyond(int *out, int n) {
    int a[8] = {1, 2, 3};
    for (int i = 0; i < 4; i++)
        a[(i * n) & 0xffffff] = i;
    out[0] = a[n & 7];
}

int main(int argc, char **argv) {
    std::string what = argc > 1 ? argv[1] : "";
    int *a = device<int>(100), *b = device<int>(100);
    if (what == "write")
        write_beyond<<<2, 64>>>(a, 100);
    else if (what == "read")
        read_before<<<1, 50>>>(a, b);
    else if (what == "misaligned")
        misaligned<<<1, 8>>>((char *)a);
    else if (what == "null")
        through_null<<<1, 8>>>(nullptr);
    else if (what == "freed") {
        CUDA(cudaFree(a));
        write_beyond<<<1, 64>>>(a, 100);
    } else if (what == "shared")
        beyond_shared<<<1, 32>>>(b, 10);
    else if (what == "dynamic")
        beyond_dynamic<<<3, 32, 256>>>(40);
    else if (what == "constant") {
        void *p;
        CUDA(cudaGetSymbolAddress(&p, fixed));
        write_constant<<<1, 1>>>((int *)p);
    } else if (what == "trap")
        trap<<<dim3(1, 2), dim3(4, 2)>>>();
    else if (what == "endless")
        endless<<<1, 1>>>(device<int>(1));
    else if (what == "recursion")
        recursion<<<1, 1>>>(b);
    else if (what == "barrier")
        stuck_barrier<<<1, 64>>>();
    else if (what == "call")
        wild_call<<<1, 2>>>((void (**)())a);
    else if (what == "float4")
        float4_misaligned<<<1, 1>>>((float *)a);
    else if (what == "atomic")
        atomic_beyond<<<1, 1>>>(a);
    else if (what == "local")
        local_beyond<<<1, 1>>>(a, 100000);
    cudaError_t launch = cudaGetLastError(), run = cudaDeviceSynchronize();
    printf("%s: %s, then %s\n", what.c_str(), cudaGetErrorName(launch), cudaGetErrorName(run));
    printf("afterwards: %s\n", cudaGetErrorName(cudaMemset(b, 0, 4)));
}
