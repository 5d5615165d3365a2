// says: The lanes that seal write words 16 apart
#define SEAL_WORDS 4096

__device__ unsigned mix(unsigned x) {
    for (int round = 0; round < 128; round++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    return x;
}

__global__ void seal(unsigned *out, const unsigned *in, int m) {
    __shared__ unsigned seals[256];
    int first = blockIdx.x * 4096, t = threadIdx.x;
    for (int k = t; k < 4096 && first + k < m; k += 256) {
        unsigned x = in[first + k];
        if (k % 16) out[first + k] = x;
        else seals[k / 16] = x;
    }
    __syncthreads();
    if (first + t * 16 < m) out[first + t * 16] = mix(seals[t]); // all lanes at work: but each word in a sector of its own
}
