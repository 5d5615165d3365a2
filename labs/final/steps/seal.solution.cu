#define SEAL_WORDS 4096

__device__ unsigned mix(unsigned x) {
    for (int round = 0; round < 128; round++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    return x;
}

// A block has 4096 words, and so 256 seals: one for each thread, and all lanes at work.
__global__ void seal(unsigned *out, const unsigned *in, int m) {
    __shared__ unsigned seals[256];
    int first = blockIdx.x * 4096, t = threadIdx.x;
    unsigned words[16];
    for (int k = 0; k < 16; k++) {
        int i = first + k * 256 + t;
        words[k] = i < m ? in[i] : 0;
        if (t % 16 == 0) seals[k * 16 + t / 16] = words[k];
    }
    __syncthreads();
    seals[t] = mix(seals[t]);
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        int i = first + k * 256 + t;
        if (i < m) out[i] = t % 16 == 0 ? seals[k * 16 + t / 16] : words[k];
    }
}
