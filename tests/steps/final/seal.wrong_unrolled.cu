// says: are still off
#define SEAL_WORDS 256

__device__ unsigned mix(unsigned x) {
#pragma unroll 16
    for (int round = 0; round < 128; round++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    return x;
}

__global__ void seal(unsigned *out, const unsigned *in, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) out[i] = i % 16 == 0 ? mix(in[i]) : in[i];
}
