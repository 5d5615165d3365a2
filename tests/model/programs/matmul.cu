// Products of matrices as first courses write them, of sides that are no powers of two, and in double.
#include "timed.h"
using namespace timed;

template <class T> __global__ void naive(const T *a, const T *b, T *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    T sum = 0;
    if (x >= n || y >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    out[y * n + x] = sum;
}

template <class T> __global__ void turned(const T *a, const T *b, T *out, int n) {
    int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    T sum = 0;
    if (x >= n || y >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    out[y * n + x] = sum;
}

template <class T, int S> __global__ void tiled(const T *a, const T *b, T *out, int n) {
    __shared__ T p[S][S], q[S][S];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * S + tx, y = blockIdx.y * S + ty;
    T sum = 0;
    for (int base = 0; base < n; base += S) {
        p[ty][tx] = y < n && base + tx < n ? a[y * n + base + tx] : 0;
        q[ty][tx] = x < n && base + ty < n ? b[(base + ty) * n + x] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < S; k++)
            sum += p[ty][k] * q[k][tx];
        __syncthreads();
    }
    if (x < n && y < n)
        out[y * n + x] = sum;
}

// Each thread makes MANY results of a column.
template <class T, int S, int MANY> __global__ void coarse(const T *a, const T *b, T *out, int n) {
    __shared__ T p[S][S], q[S][S];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * S + tx, y = blockIdx.y * S + ty * MANY;
    T sum[MANY] = {};
    for (int base = 0; base < n; base += S) {
        for (int m = 0; m < MANY; m++) {
            int row = ty * MANY + m;
            p[row][tx] = y + m < n && base + tx < n ? a[(y + m) * n + base + tx] : 0;
            q[row][tx] = x < n && base + row < n ? b[(base + row) * n + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < S; k++)
#pragma unroll
            for (int m = 0; m < MANY; m++)
                sum[m] += p[ty * MANY + m][k] * q[k][tx];
        __syncthreads();
    }
    for (int m = 0; m < MANY; m++)
        if (x < n && y + m < n)
            out[(y + m) * n + x] = sum[m];
}

template <class T, class F> void multiply(one_case &c, F launch) {
    int n = c.draw("n", 250, 640);
    auto a = make<T>(n * n, unit), b = make<T>(n * n, [](size_t i) { return i % 3; });
    T *out = room<T>(n * n);
    c.time([&] { launch(a.gpu, b.gpu, out, n); });
    c.check(out, n * n, [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += a.cpu[i / n * n + k] * b.cpu[k * n + i % n];
        return sum;
    });
}
template <class T> void grid_of(one_case &c, void (*kernel)(const T *, const T *, T *, int), unsigned w, unsigned h, unsigned each = 1) {
    multiply<T>(c, [=](T *a, T *b, T *out, int n) { kernel<<<dim3(blocks(n, w), blocks(n, h * each)), dim3(w, h)>>>(a, b, out, n); });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("matmul.naive") grid_of<float>(c, naive, 32, 8);
    CASE("matmul.naive_16") grid_of<float>(c, naive, 16, 16);
    CASE("matmul.turned") grid_of<float>(c, turned, 16, 16);
    CASE("matmul.tiled_8") grid_of<float>(c, tiled<float, 8>, 8, 8);
    CASE("matmul.tiled_16") grid_of<float>(c, tiled<float, 16>, 16, 16);
    CASE("matmul.tiled_32") grid_of<float>(c, tiled<float, 32>, 32, 32);
    CASE("matmul.coarse_4") grid_of<float>(c, coarse<float, 32, 4>, 32, 8, 4);
    CASE("matmul.coarse_8") grid_of<float>(c, coarse<float, 64, 8>, 64, 8, 8);
    CASE("matmul.double_naive") grid_of<double>(c, naive, 32, 4);
    CASE("matmul.double_tiled") grid_of<double>(c, tiled<double, 16>, 16, 16);
    CASE("matmul.double_coarse") grid_of<double>(c, coarse<double, 32, 8>, 32, 4, 8);
    return failed;
}
