// Matrix instructions: wmma in each shape and type, mma.sync and ldmatrix by hand. Inputs are small
// integers, so that every product and sum is exact whatever the order.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <class T, class C, int M, int N, int K, class LA, class LB>
__global__ void multiply(const T *a, const T *b, const C *c, C *d, int lda, int ldb) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = fc.x[i] + fc.x[i];
    wmma::store_matrix_sync(d, fc, M, wmma::mem_col_major);
}

template <class T> T make(int v) {
    return (T)(float)v;
}
template <> signed char make(int v) {
    return (signed char)v;
}
template <> unsigned char make(int v) {
    return (unsigned char)(v + 4);
}
template <class T> double value(T v) {
    return (double)(float)v;
}
template <> double value(double v) {
    return v;
}

template <class T, class C, int M, int N, int K, bool A_ROW, bool B_ROW> void check(const char *name) {
    typedef typename std::conditional<A_ROW, wmma::row_major, wmma::col_major>::type LA;
    typedef typename std::conditional<B_ROW, wmma::row_major, wmma::col_major>::type LB;
    int lda = (A_ROW ? K : M) + 16, ldb = B_ROW ? N : K;
    std::vector<T> a(lda * (A_ROW ? M : K)), b(ldb * (B_ROW ? K : N));
    std::vector<C> c(M * N), d(M * N);
    for (size_t i = 0; i < a.size(); i++)
        a[i] = make<T>((int)(i * 7 % 9) - 4);
    for (size_t i = 0; i < b.size(); i++)
        b[i] = make<T>((int)(i * 5 % 7) - 3);
    for (int i = 0; i < M * N; i++)
        c[i] = (C)(i % 11 - 5);
    C *dd = device<C>(M * N);
    multiply<T, C, M, N, K, LA, LB><<<1, 32>>>(device(a), device(b), device(c), dd, lda, ldb);
    LAUNCHED;
    d = fetch(dd, M * N);
    int wrong = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            double s = value(c[m * N + n]);
            for (int k = 0; k < K; k++)
                s += value(A_ROW ? a[m * lda + k] : a[k * lda + m]) * value(B_ROW ? b[k * ldb + n] : b[n * ldb + k]);
            wrong += value(d[n * M + m]) != 2 * s;
        }
    printf("%s: %d wrong\n", name, wrong);
}

// One m16n8k16 with the fragments' layout of the PTX manual, 9.7.14.
__global__ void by_hand(const __half *a, const __half *b, float *d) {
    int lane = threadIdx.x, group = lane / 4, in_group = lane % 4;
    unsigned ra[4], rb[2];
    float rc[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) {
        int row = group + (i % 2) * 8, col = in_group * 2 + (i / 2) * 8;
        ra[i] = *(const unsigned *)&a[row * 16 + col];
    }
    for (int i = 0; i < 2; i++) {
        __half2 h = __halves2half2(b[(in_group * 2 + i * 8) * 8 + group], b[(in_group * 2 + i * 8 + 1) * 8 + group]);
        rb[i] = *(unsigned *)&h;
    }
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(rc[0]), "+f"(rc[1]), "+f"(rc[2]), "+f"(rc[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; i++)
        d[(group + i / 2 * 8) * 8 + in_group * 2 + i % 2] = rc[i];
}

// The doubles' shapes of compute capability 9.0: a lane's elements of A and B lie four columns and rows apart.
#define DOUBLES(DEEP, A, B, ...)                                                                                        \
    __device__ void multiply_by_hand(double (&d)[4], const double (&a)[DEEP / 2], const double (&b)[DEEP / 4]) {        \
        asm volatile("mma.sync.aligned.m16n8k" #DEEP ".row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {" A "}, {" B "}, "       \
                     "{%0,%1,%2,%3};" : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : __VA_ARGS__);                  \
    }
DOUBLES(4, "%4,%5", "%6", "d"(a[0]), "d"(a[1]), "d"(b[0]))
DOUBLES(8, "%4,%5,%6,%7", "%8,%9", "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]))
DOUBLES(16, "%4,%5,%6,%7,%8,%9,%10,%11", "%12,%13,%14,%15", "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]),
        "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]))
template <int DEEP> __global__ void doubles_by_hand(const double *a, const double *b, double *d) {
    int lane = threadIdx.x;
    double ra[DEEP / 2], rb[DEEP / 4], rc[4] = {1, 2, 3, 4};
    for (int i = 0; i < DEEP / 2; i++)
        ra[i] = a[(lane / 4 + i % 2 * 8) * DEEP + lane % 4 + i / 2 * 4];
    for (int i = 0; i < DEEP / 4; i++)
        rb[i] = b[(lane % 4 + i * 4) * 8 + lane / 4];
    multiply_by_hand(rc, ra, rb);
    for (int i = 0; i < 4; i++)
        d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = rc[i];
}
template <int DEEP> void check_doubles(const char *name) {
    std::vector<double> a(16 * DEEP), b(8 * DEEP), want(128);
    for (int i = 0; i < 16 * DEEP; i++)
        a[i] = i * 7 % 9 - 4 + i / 1048576.0;
    for (int i = 0; i < 8 * DEEP; i++)
        b[i] = i * 5 % 7 - 3 + i / 4194304.0;
    for (int m = 0; m < 16; m++)
        for (int n = 0; n < 8; n++) {
            double s = 1 + n % 2 + m / 8 * 2;
            for (int k = 0; k < DEEP; k++)
                s += a[m * DEEP + k] * b[k * 8 + n];
            want[m * 8 + n] = s;
        }
    double *d = device<double>(128);
    doubles_by_hand<DEEP><<<1, 32>>>(device(a), device(b), d);
    LAUNCHED;
    same(name, fetch(d, 128), want);
}

__global__ void with_ldmatrix(const __half *a, const __half *b, float *d) {
    __shared__ __align__(16) __half sa[16 * 16], sb[16 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        sa[i] = a[i];
    for (int i = lane; i < 128; i += 32)
        sb[i] = b[i];
    __syncwarp();
    unsigned ra[4], rb[2];
    unsigned pa = (unsigned)__cvta_generic_to_shared(&sa[(lane % 16) * 16 + lane / 16 * 8]);
    unsigned pb = (unsigned)__cvta_generic_to_shared(&sb[(lane % 16) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
    float rc[4] = {1, 2, 3, 4};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(rc[0]), "+f"(rc[1]), "+f"(rc[2]), "+f"(rc[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; i++)
        d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = rc[i];
}

int main() {
    check<__half, float, 16, 16, 16, true, false>("half to float");
    check<__half, float, 16, 16, 16, false, true>("half to float, transposed");
    check<__half, __half, 16, 16, 16, true, true>("half to half");
    check<__half, float, 32, 8, 16, true, false>("half 32x8x16");
    check<__half, float, 8, 32, 16, true, false>("half 8x32x16");
    check<__nv_bfloat16, float, 16, 16, 16, true, false>("bfloat16");
    check<signed char, int, 16, 16, 16, true, false>("int8");
    check<unsigned char, int, 16, 16, 16, false, false>("uint8");
    check<double, double, 8, 8, 4, true, false>("double");
    std::vector<__half> a(256), b(128);
    std::vector<float> want(128);
    for (int i = 0; i < 256; i++)
        a[i] = __float2half(i * 7 % 9 - 4);
    for (int i = 0; i < 128; i++)
        b[i] = __float2half(i * 5 % 7 - 3);
    for (int m = 0; m < 16; m++)
        for (int n = 0; n < 8; n++) {
            float s = 1 + n % 2 + m / 8 * 2;
            for (int k = 0; k < 16; k++)
                s += __half2float(a[m * 16 + k]) * __half2float(b[k * 8 + n]);
            want[m * 8 + n] = s;
        }
    float *d = device<float>(128);
    by_hand<<<1, 32>>>(device(a), device(b), d);
    LAUNCHED;
    same("mma.sync", fetch(d, 128), want);
    with_ldmatrix<<<1, 32>>>(device(a), device(b), d);
    LAUNCHED;
    same("ldmatrix", fetch(d, 128), want);
    check_doubles<4>("doubles, 4 deep");
    check_doubles<8>("doubles, 8 deep");
    check_doubles<16>("doubles, 16 deep");
}
