// Counts wmma's loads and stores of global memory. The requests are those of the machine code that ptxas makes for
// sm_90: a request is 8 lines of 4 lanes where the matrix lies as the multiplication wants it, or can be turned in registers;
// else each element of a lane is a request. Sectors are counted on paper.
#include "check.h"
#include <mma.h>
#include <type_traits>
using namespace nvcuda::wmma;

template <class Fragment, class T> __global__ void load(const T *in, float *out, int stride) {
    Fragment f;
    load_matrix_sync(f, in, stride);
    float sum = 0;
    for (int i = 0; i < f.num_elements; i++)
        sum += (float)f.x[i];
    out[threadIdx.x] = sum;
}
template <class Fragment> __global__ void copy(const float *in, float *out, int stride, layout_t layout) {
    Fragment f;
    load_matrix_sync(f, in, stride, layout);
    store_matrix_sync(out, f, stride, layout);
}

int main() {
    char *in = device<char>(1 << 16);
    float *out = device<float>(1 << 14);
#define LOAD(T, stride, ...) load<fragment<__VA_ARGS__>><<<1, 32>>>((const T *)in, out, stride);
    LOAD(half, 64, matrix_a, 16, 16, 16, half, row_major)
    LOAD(half, 16, matrix_a, 16, 16, 16, half, col_major)
    LOAD(signed char, 16, matrix_b, 16, 16, 16, signed char, col_major)
    LOAD(signed char, 16, matrix_b, 16, 16, 16, signed char, row_major)
    LOAD(float, 64, matrix_a, 16, 16, 8, precision::tf32, row_major)
    LOAD(double, 4, matrix_a, 8, 8, 4, double, row_major)
    copy<fragment<accumulator, 16, 16, 16, float>><<<1, 32>>>((const float *)in, out, 64, mem_row_major);
    copy<fragment<accumulator, 16, 16, 16, float>><<<1, 32>>>((const float *)in, out, 64, mem_col_major);
    copy<fragment<accumulator, 8, 32, 16, float>><<<1, 32>>>((const float *)in, out, 32, mem_row_major);
    LAUNCHED;
}
