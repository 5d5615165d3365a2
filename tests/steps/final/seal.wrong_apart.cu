// says: The lanes that seal read words 16 apart
#define SEAL_WORDS 4096

__device__ unsigned mix(unsigned x) {
    for (int round = 0; round < 128; round++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    return x;
}

__global__ void seal(unsigned *out, const unsigned *in, int m) {
    int first = blockIdx.x * 4096;
    for (int k = threadIdx.x; k < 4096; k += 256)
        if (k % 16 && first + k < m) out[first + k] = in[first + k];
    int word = first + threadIdx.x * 16; // one seal a thread, all lanes at work: but each word in a sector of its own
    if (word < m) out[word] = mix(in[word]);
}
