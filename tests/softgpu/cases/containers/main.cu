// One program for each way nvcc stores device code: see case.json of the variants.
#include "check.h"

template <int N> __global__ void fill(int *out) {
    out[threadIdx.x] = N + threadIdx.x;
}

int main() {
    int *out = device<int>(32);
    fill<3><<<1, 32>>>(out);
    LAUNCHED;
    printf("%d\n", fetch(out, 32)[31]);
}
