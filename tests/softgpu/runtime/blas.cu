// libcublas against sums in double, the arguments it refuses, and what it leaves out.
#include "check.h"

#include <cmath>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <vector>

#define STATUS(expression, status)                                                                 \
    do {                                                                                           \
        cublasStatus_t got_ = (expression);                                                        \
        if (got_ != (status)) {                                                                    \
            printf("%s:%d: %s gave %s\n", __FILE__, __LINE__, #expression,                         \
                   cublasGetStatusName(got_));                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define FINE(expression) STATUS(expression, CUBLAS_STATUS_SUCCESS)

template <typename T> struct Device {
    T *p;
    size_t n;
    explicit Device(const std::vector<T> &h) : n(h.size()) {
        OK(cudaMalloc(&p, n * sizeof(T)));
        OK(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const {
        std::vector<T> h(n);
        OK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
};

template <typename T> std::vector<T> numbers(size_t n, unsigned seed) {
    std::vector<T> v(n);
    for (auto &x : v)
        x = T((int)((seed = seed * 1664525u + 1013904223u) >> 24) - 128) / T(16);
    return v;
}

static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const float *a, const float *A, int lda, const float *B,
                           int ldb, const float *b, float *C, int ldc) {
    return cublasSgemm(h, ta, tb, m, n, k, a, A, lda, B, ldb, b, C, ldc);
}

static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const double *a, const double *A, int lda, const double *B,
                           int ldb, const double *b, double *C, int ldc) {
    return cublasDgemm(h, ta, tb, m, n, k, a, A, lda, B, ldb, b, C, ldc);
}

template <typename T> void products(cublasHandle_t h) {
    const int m = 17, n = 9, k = 13, ld = 20;
    auto A = numbers<T>(ld * ld, 1), B = numbers<T>(ld * ld, 2), C = numbers<T>(ld * ld, 3);
    Device<T> a(A), b(B);
    for (int t = 0; t < 8; t++) {
        bool ta = t & 1, tb = t & 2;
        T alpha = T(1.5), beta = t & 4 ? T(0) : T(-2);
        auto start = C;
        if (beta == 0)
            start[3] = NAN; // must not be read
        Device<T> c(start);
        FINE(gemm(h, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_C : CUBLAS_OP_N, m, n, k,
                  &alpha, a.p, ld, b.p, ld, &beta, c.p, ld));
        auto got = c.get();
        for (int j = 0; j < ld; j++)
            for (int i = 0; i < ld; i++) {
                double sum = 0;
                for (int l = 0; l < k; l++)
                    sum += (double)(ta ? A[i * ld + l] : A[l * ld + i]) *
                           (double)(tb ? B[l * ld + j] : B[j * ld + l]);
                double want = alpha * sum + (beta != 0 ? (double)beta * C[j * ld + i] : 0);
                if (i < m && j < n)
                    EXPECT(std::fabs(got[j * ld + i] - want) < 1e-4 * (1 + std::fabs(want)));
                else if (!(j == 0 && i == 3))
                    EXPECT(got[j * ld + i] == C[j * ld + i]); // outside: untouched
            }
    }
}

static void gemms() {
    cublasHandle_t h;
    FINE(cublasCreate(&h));
    products<float>(h);
    products<double>(h);
    FINE(cublasDestroy(h));
}

static void geams() {
    cublasHandle_t h;
    const int m = 70, n = 45;
    float one = 1, zero = 0, two = 2;
    auto A = numbers<float>(m * n, 1);
    A[5] = NAN;
    Device<float> a(A), c(std::vector<float>(m * n, NAN));
    FINE(cublasCreate(&h));
    FINE(cublasSgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, a.p, n, &zero, nullptr, m, c.p, m));
    auto C = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            EXPECT(memcmp(&C[j * m + i], &A[i * n + j], 4) == 0);
    FINE(cublasSgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, &two, c.p, m, &one, c.p, m, c.p, m));
    EXPECT(c.get()[7] == 3 * C[7]);
    STATUS(cublasSgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, m, m, &one, c.p, m, &zero, nullptr, m, c.p, m),
           CUBLAS_STATUS_INVALID_VALUE);
    FINE(cublasDestroy(h));
}

static void vectors() {
    cublasHandle_t h;
    const int n = 1001;
    auto X = numbers<double>(2 * n, 1), Y = numbers<double>(n, 2);
    double dot = 0, sum = 0, squares = 0, got, alpha = 0.5, *device;
    int best = 0, index;
    for (int i = 0; i < n; i++) {
        dot += X[2 * i] * Y[i];
        sum += std::fabs(Y[i]);
        squares += Y[i] * Y[i];
        best = std::fabs(Y[i]) > std::fabs(Y[best]) ? i : best;
    }
    Device<double> x(X), y(Y);
    FINE(cublasCreate(&h));
    FINE(cublasDdot(h, n, x.p, 2, y.p, 1, &got));
    EXPECT(std::fabs(got - dot) < 1e-9 * std::fabs(squares));
    FINE(cublasDasum(h, n, y.p, 1, &got));
    EXPECT(std::fabs(got - sum) < 1e-9 * sum);
    FINE(cublasDnrm2(h, n, y.p, 1, &got));
    EXPECT(std::fabs(got * got - squares) < 1e-9 * squares);
    FINE(cublasIdamax(h, n, y.p, 1, &index));
    EXPECT(index == best + 1);
    FINE(cublasDaxpy(h, n, &alpha, x.p, 2, y.p, 1));
    EXPECT(y.get()[10] == Y[10] + 0.5 * X[20]);
    OK(cudaMalloc(&device, 8));
    FINE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    FINE(cublasDasum(h, n, x.p, 1, device));
    STATUS(cublasDasum(h, n, x.p, 1, &got), CUBLAS_STATUS_EXECUTION_FAILED);
    FINE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    OK(cudaMemcpy(&got, device, 8, cudaMemcpyDeviceToHost));
    EXPECT(got > 0);
    double nan_beta = 0;
    Device<double> A(numbers<double>(12, 5)), v(std::vector<double>{1, 2, 3}),
        w(std::vector<double>{NAN, NAN, NAN, NAN});
    FINE(cublasDgemv(h, CUBLAS_OP_N, 4, 3, &alpha, A.p, 4, v.p, 1, &nan_beta, w.p, 1));
    auto a = A.get();
    EXPECT(std::fabs(w.get()[3] - 0.5 * (a[3] + 2 * a[7] + 3 * a[11])) < 1e-12);
    std::vector<float> column(30), back(10);
    for (int i = 0; i < 30; i++)
        column[i] = i;
    Device<float> d(std::vector<float>(10, 0));
    FINE(cublasSetVector(10, 4, column.data(), 3, d.p, 1));
    FINE(cublasGetVector(10, 4, d.p, 1, back.data(), 1));
    EXPECT(back[9] == 27);
    STATUS(cublasSetVector(11, 4, column.data(), 1, d.p, 1), CUBLAS_STATUS_MAPPING_ERROR);
    FINE(cublasDestroy(h));
    cudaGetLastError();
}

static void halves() {
    cublasHandle_t h;
    const int n = 24;
    std::vector<__half> A(n * n), B(n * n);
    auto fa = numbers<float>(n * n, 1), fb = numbers<float>(n * n, 2);
    for (int i = 0; i < n * n; i++)
        A[i] = __float2half(fa[i]), B[i] = __float2half(fb[i]);
    Device<__half> a(A), b(B), c(A);
    Device<float> d(fa);
    float one = 1, zero = 0;
    FINE(cublasCreate(&h));
    FINE(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.p, CUDA_R_16F, n, b.p,
                      CUDA_R_16F, n, &zero, d.p, CUDA_R_32F, n, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT));
    FINE(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.p, CUDA_R_16F, n, b.p,
                      CUDA_R_16F, n, &zero, c.p, CUDA_R_16F, n, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT));
    auto D = d.get();
    auto C = c.get();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += (double)fa[l * n + i] * fb[j * n + l];
            EXPECT(D[j * n + i] == (float)sum); // exact: few bits each
            EXPECT(__half2float(C[j * n + i]) == __half2float(__double2half(sum)));
        }
    STATUS(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.p, CUDA_R_8I, n, b.p,
                        CUDA_R_8I, n, &zero, d.p, CUDA_R_32I, n, CUBLAS_COMPUTE_32I,
                        CUBLAS_GEMM_DEFAULT),
           CUBLAS_STATUS_NOT_SUPPORTED);
    FINE(cublasDestroy(h));
}

static void batches() {
    cublasHandle_t h;
    const int n = 8, batch = 3;
    auto A = numbers<float>(n * n * batch, 1);
    Device<float> a(A), c(A);
    float one = 1, zero = 0;
    FINE(cublasCreate(&h));
    FINE(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.p, n, n * n, a.p,
                                   n, n * n, &zero, c.p, n, n * n, batch));
    auto strided = c.get();
    std::vector<float *> pa, pc;
    for (int i = 0; i < batch; i++)
        pa.push_back(a.p + i * n * n), pc.push_back(c.p + i * n * n);
    Device<float *> da(pa), dc(pc);
    OK(cudaMemset(c.p, 0, n * n * batch * 4));
    FINE(cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da.p, n, da.p, n, &zero,
                            dc.p, n, batch));
    EXPECT(c.get() == strided);
    float sum = 0;
    for (int l = 0; l < n; l++)
        sum += A[2 * n * n + l * n] * A[2 * n * n + l];
    EXPECT(std::fabs(strided[2 * n * n] - sum) < 1e-4f * (1 + std::fabs(sum)));
    FINE(cublasDestroy(h));
}

static void refusals() {
    cublasHandle_t h;
    float one = 1, *p, host[16] = {};
    OK(cudaMalloc(&p, 64));
    STATUS(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, p, 1, p, 1, &one, p, 1),
           CUBLAS_STATUS_NOT_INITIALIZED);
    FINE(cublasCreate(&h));
    STATUS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, p, 3, p, 4, &one, p, 4),
           CUBLAS_STATUS_INVALID_VALUE);
    STATUS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 4, 4, &one, p, 4, p, 4, &one, p, 4),
           CUBLAS_STATUS_INVALID_VALUE);
    STATUS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 5, 4, &one, p, 4, p, 4, &one, p, 4),
           CUBLAS_STATUS_EXECUTION_FAILED);
    STATUS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, host, 4, p, 4, &one, p, 4),
           CUBLAS_STATUS_EXECUTION_FAILED);
    cudaStream_t stream; // a product of a captured stream would be left out of its graph
    cudaGraph_t graph;
    OK(cudaStreamCreate(&stream));
    FINE(cublasSetStream(h, stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    STATUS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, p, 4, p, 4, &one, p, 4),
           CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    STATUS(cublasCgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, nullptr, nullptr, 1, nullptr, 1,
                       nullptr, nullptr, 1),
           CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT(strcmp(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED),
                  "the functionality requested is not supported") == 0);
    FINE(cublasDestroy(h));
    STATUS(cublasDestroy(nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
}

int main(int argc, char **argv) {
    static const Case cases[] = {{"gemms", gemms},   {"geams", geams},     {"vectors", vectors},
                                 {"halves", halves}, {"batches", batches}, {"refusals", refusals}};
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
