// The speed of softgpu beside the loop that C has for the same work: CPU time of one launch on one thread and of the
// loop, in turn, on the same core. Built with `nvcc -cudart shared` and run against softgpu's libcudart.so.13 with
// WARPBOOK_SOFTGPU_THREADS=1; every result is checked. `softgpu_bench sgemm` has the matrix products alone,
// `softgpu_bench kernels` leaves out the loops.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>
#include <algorithm>

__global__ void gemm_naive(const float *A, const float *B, float *C, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (row < n && col < n) {
        for (int k = 0; k < n; k++)
            sum += A[row * n + k] * B[k * n + col];
        C[row * n + col] = sum;
    }
}

__global__ void gemm_coalesced(const float *A, const float *B, float *C, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (row < n && col < n) {
        for (int k = 0; k < n; k++)
            sum += A[row * n + k] * B[k * n + col];
        C[row * n + col] = sum;
    }
}

template <int TILE> __global__ void gemm_tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        a[ty][tx] = A[row * n + t + tx];
        b[ty][tx] = B[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

__global__ void transpose_naive(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[x * n + y + j] = in[(y + j) * n + x];
}

template <int PAD> __global__ void transpose_shared(const float *in, float *out, int n) {
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// The tree that students write first: an element a thread, a barrier a step.
__global__ void reduce_tree(const float *in, float *out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (!t)
        out[blockIdx.x] = s[0];
}

// As many blocks as a device holds: a loop over the array, then shuffles.
__global__ void reduce_stride(const float *in, float *out, int n) {
    __shared__ float warps[8];
    int t = threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += step)
        sum += in[i];
    for (int k = 16; k; k >>= 1)
        sum += __shfl_down_sync(~0u, sum, k);
    if (t % 32 == 0)
        warps[t / 32] = sum;
    __syncthreads();
    if (!t) {
        for (int k = 1; k < 8; k++)
            sum += warps[k];
        out[blockIdx.x] = sum;
    }
}

// One number at a time, as C has it at -O2: no sum is taken apart, no loop is made of vectors.
#define SCALAR __attribute__((optimize("O2", "no-tree-vectorize"))) static

SCALAR void gemm_c(const float *A, const float *B, float *C, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

SCALAR void transpose_c(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j * n + i] = in[i * n + j];
}

// A sum for each of the parts that reduce_ok adds up.
SCALAR void reduce_c(const float *in, float *out, int n, int parts) {
    for (int p = 0; p < parts; p++) {
        float sum = 0;
        for (int i = 0; i < n / parts; i++)
            sum += *in++;
        out[p] = sum;
    }
}

static double cpu_ms() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void check(cudaError_t e) {
    if (e != cudaSuccess) {
        fprintf(stderr, "softgpu_bench: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

static bool with_c = true;

static double median(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    return ms.empty() ? 0 : ms[ms.size() / 2];
}

template <class F, class G> static void measure(const char *name, bool (*ok)(), F launch, G loop) {
    std::vector<double> ms, c_ms;
    auto run = [&] {
        launch();
        check(cudaDeviceSynchronize());
    };
    auto timed = [](auto work) {
        double t = cpu_ms();
        work();
        return cpu_ms() - t;
    };
    run();
    bool right = ok();
    if (with_c) {
        loop();
        right &= ok();
    }
    double spent = 0;
    for (int i = 0; i < 15 && (spent < 1500 || i < 3); i++) {
        ms.push_back(timed(run));
        spent += ms.back();
        if (with_c) {
            c_ms.push_back(timed(loop));
            spent += c_ms.back();
        }
    }
    printf("%-24s %8.2f ms, C %8.2f ms%s\n", name, median(ms), median(c_ms), right ? "" : "   WRONG RESULT");
    if (!right)
        exit(1);
}

static float *A, *B, *C;
static int N, BLOCKS;

static bool gemm_ok() {
    for (int t = 0; t < 200; t++) {
        int i = rand() % N, j = rand() % N;
        double s = 0;
        for (int k = 0; k < N; k++)
            s += (double)A[i * N + k] * B[k * N + j];
        if (abs(s - C[i * N + j]) > 1e-3 * N)
            return false;
    }
    return true;
}
static bool transpose_ok() {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (C[j * N + i] != A[i * N + j])
                return false;
    return true;
}
static bool reduce_ok() {
    double s = 0, r = 0;
    for (int i = 0; i < N; i++)
        s += A[i];
    for (int i = 0; i < BLOCKS; i++)
        r += C[i];
    return abs(s - r) < 1e-5 * N;
}

static void sgemm() {
    dim3 wide(32, 32), tile(16, 16);
    auto c = [] { gemm_c(A, B, C, N); };
    N = 256;
    measure("SGEMM naive 256", gemm_ok, [&] { gemm_naive<<<dim3(8, 8), wide>>>(A, B, C, N); }, c);
    N = 512;
    measure("SGEMM coalesced 512", gemm_ok, [&] { gemm_coalesced<<<dim3(16, 16), wide>>>(A, B, C, N); }, c);
    measure("SGEMM tiled 16x16 512", gemm_ok, [&] { gemm_tiled<16><<<dim3(32, 32), tile>>>(A, B, C, N); }, c);
    measure("SGEMM tiled 512", gemm_ok, [&] { gemm_tiled<32><<<dim3(16, 16), wide>>>(A, B, C, N); }, c);
}

static void transposes() {
    dim3 grid(64, 64), thin(32, 8);
    auto c = [] { transpose_c(A, C, N); };
    N = 2048;
    measure("transpose naive 2048", transpose_ok, [&] { transpose_naive<<<grid, thin>>>(A, C, N); }, c);
    measure("transpose shared 2048", transpose_ok, [&] { transpose_shared<0><<<grid, thin>>>(A, C, N); }, c);
    measure("transpose padded 2048", transpose_ok, [&] { transpose_shared<1><<<grid, thin>>>(A, C, N); }, c);
}

static void reductions() {
    auto c = [] { reduce_c(A, C, N, BLOCKS); };
    N = 1 << 24;
    BLOCKS = N / 256;
    measure("reduce 2^24 tree", reduce_ok, [&] { reduce_tree<<<BLOCKS, 256, 1024>>>(A, C, N); }, c);
    BLOCKS = 1024;
    measure("reduce 2^24 grid stride", reduce_ok, [&] { reduce_stride<<<BLOCKS, 256>>>(A, C, N); }, c);
}

int main(int argc, char **argv) {
    size_t bytes = (size_t)(1 << 24) * 4;
    const char *only = argc > 1 ? argv[1] : "";
    with_c = strcmp(only, "kernels") != 0;
    check(cudaMallocManaged(&A, bytes));
    check(cudaMallocManaged(&B, bytes));
    check(cudaMallocManaged(&C, bytes));
    for (int i = 0; i < 1 << 24; i++) {
        A[i] = (float)(rand() % 1000) / 1000;
        B[i] = (float)(rand() % 1000) / 1000;
    }
    sgemm();
    if (!strcmp(only, "sgemm"))
        return 0;
    transposes();
    reductions();
    return 0;
}
