// All three: a block asks for room once.

// A block looks at 4096 readings, its threads at 16 each, and asks for room once.
__global__ void spot(int *where, int *found, const float *in, int n) {
    __shared__ int of_block, base;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    int first = blockIdx.x * 4096 + threadIdx.x, mine = 0, at = 0;
    unsigned mask = 0; // of those that this thread has found
    for (int k = 0; k < 16; k++) {
        int i = first + k * 256;
        if (i < n && in[i] > 0.98f) mask |= 1u << k;
    }
    mine = __popc(mask);
    if (mine) at = atomicAdd(&of_block, mine);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(found, of_block);
    __syncthreads();
    at += base;
    for (int k = 0; k < 16; k++)
        if (mask >> k & 1) where[at++] = first + k * 256;
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
    unsigned x = seals[t];
    for (int round = 0; round < 128; round++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
    }
    seals[t] = x;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        int i = first + k * 256 + t;
        if (i < m) out[i] = t % 16 == 0 ? seals[k * 16 + t / 16] : words[k];
    }
}

// Each sensor's readings (up to 32, the oldest first), smoothed forwards and then backwards, so that nothing comes late.
__global__ void smooth(float *out, const float *in, int sensors, int length) {
    __shared__ float s[128][33]; // a row begins a bank further than the one before
    int first = blockIdx.x * 128, t = threadIdx.x, lane = t % 32;
    for (int row = t / 32; row < 128; row += 4)
        if (first + row < sensors && lane < length) s[row][lane] = in[(first + row) * length + lane];
    __syncthreads();
    if (first + t < sensors) {
        float y = s[t][0];
        for (int k = 1; k < length; k++) s[t][k] = y += 0.25f * (s[t][k] - y);
        for (int k = length - 2; k >= 0; k--) s[t][k] = y += 0.25f * (s[t][k] - y);
    }
    __syncthreads();
    for (int row = t / 32; row < 128; row += 4)
        if (first + row < sensors && lane < length) out[(first + row) * length + lane] = s[row][lane];
}

void solve(const float *in, int *where, int *found, int n, const unsigned *words, unsigned *sealed, int m, const float *readings,
           float *smoothed, int sensors, int length) {
    cudaMemset(where, 0xff, n * sizeof(int)); // -1, all of them
    cudaMemset(found, 0, sizeof(int));
    spot<<<(n + 4095) / 4096, 256>>>(where, found, in, n);
    seal<<<(m + 4095) / 4096, 256>>>(sealed, words, m);
    smooth<<<(sensors + 127) / 128, 128>>>(smoothed, readings, sensors, length);
}
