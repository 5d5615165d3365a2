// says: which is not to be sealed
#define SEAL_WORDS 256

__device__ unsigned mix(unsigned x) {
    for (int round = 0; round < 128; round++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    return x;
}

__global__ void seal(unsigned *out, const unsigned *in, int m) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < m) out[i] = threadIdx.x < 16 ? mix(in[i]) : in[i]; // sixteen side by side: but the wrong words
}
