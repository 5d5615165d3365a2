// says: each reads a stretch of its own
#define SEAL_WORDS 4096

__device__ unsigned mix(unsigned x) {
    for (int round = 0; round < 128; round++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    return x;
}

__global__ void seal(unsigned *out, const unsigned *in, int m) {
    int first = (blockIdx.x * 256 + threadIdx.x) * 16; // 16 words a thread, one behind the other
    for (int i = first; i < first + 16 && i < m; i++) out[i] = i == first ? mix(in[i]) : in[i];
}
