// Kernels with the mistakes students make. `warpbook compare` must find each out.
#include <cuda_fp16.h>

__global__ void transpose(const float *in, float *out, int rows, int cols, int mistake) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (mistake == 1 ? r > rows || c > cols : r >= rows || c >= cols)
        return;
    if (mistake == 2 && r == rows - 1 && c == cols - 1)
        return; // the last element is left out
    float v = in[(size_t)r * cols + c];
    if (mistake == 3)
        v = v * 1.0f + 0.0f; // not a copy: loses the payload of a NaN
    out[mistake == 4 ? (size_t)r * cols + c : (size_t)c * rows + r] = v;
}
static void launch(const float *in, float *out, int rows, int cols, int mistake) {
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(in, out, rows, cols, mistake);
}
void good(const float *in, float *out, int rows, int cols) { launch(in, out, rows, cols, 0); }
void beyond_the_edge(const float *in, float *out, int rows, int cols) { launch(in, out, rows, cols, 1); }
void last_left_out(const float *in, float *out, int rows, int cols) { launch(in, out, rows, cols, 2); }
void arithmetic(const float *in, float *out, int rows, int cols) { launch(in, out, rows, cols, 3); }
void not_turned(const float *in, float *out, int rows, int cols) { launch(in, out, rows, cols, 4); }
void does_nothing(const float *, float *, int, int) {}
void too_many_threads(const float *in, float *out, int rows, int cols) {
    transpose<<<1, 2048>>>(in, out, rows, cols, 0);
}

__global__ void racing(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (r < rows && c < cols)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
    // no __syncthreads()
    int oc = blockIdx.y * 32 + threadIdx.x, orow = blockIdx.x * 32 + threadIdx.y;
    if (orow < cols && oc < rows)
        out[(size_t)orow * rows + oc] = tile[threadIdx.x][threadIdx.y];
}
void race(const float *in, float *out, int rows, int cols) {
    racing<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(in, out, rows, cols);
}

__global__ void sum(const float *in, float *out, size_t n, int mistake) {
    double total = 0; // one thread: slow and right, but for the mistake
    for (size_t i = 0; i < (mistake == 1 ? n - 1 : n); i++)
        total += mistake == 2 ? __half2float(__float2half(in[i])) : in[i];
    *out = (float)total;
}
void sum_good(const float *in, float *out, size_t n) { sum<<<1, 1>>>(in, out, n, 0); }
void sum_last_left_out(const float *in, float *out, int n) { sum<<<1, 1>>>(in, out, n, 1); }
void sum_half(const float *in, float *out, float *, int n) { sum<<<1, 1>>>(in, out, n, 2); }

__global__ void gemm(const float *A, const float *B, float *C, int m, int n, int k, float alpha,
                     float beta, int mistake) {
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    if (r >= m || c >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++) {
        float a = A[(size_t)r * k + i];
        if (mistake == 1)
            a = __half2float(__float2half(a)); // half the bits
        sum += a * B[(size_t)i * n + c];
    }
    float *to = &C[(size_t)r * n + c];
    *to = mistake == 2 ? alpha * sum : mistake == 3 ? alpha * sum + beta * *to
        : alpha * sum + (beta == 0 ? 0 : beta * *to);
}
static void launch(const float *A, const float *B, float *C, int m, int n, int k, float alpha,
                   float beta, int mistake) {
    gemm<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k, alpha, beta, mistake);
}
void gemm_good(const float *A, const float *B, float *C, int m, int n, int k, float alpha, float beta) {
    launch(A, B, C, m, n, k, alpha, beta, 0);
}
void gemm_half(const float *A, const float *B, float *C, int m, int n, int k, float alpha, float beta) {
    launch(A, B, C, m, n, k, alpha, beta, 1);
}
void gemm_no_beta(const float *A, const float *B, float *C, int m, int n, int k, float alpha, float beta) {
    launch(A, B, C, m, n, k, alpha, beta, 2);
}
void gemm_unscaled(const float *A, const float *B, float *C, int m, int n, int k) {
    launch(A, B, C, m, n, k, 1, 0, 0);
}
