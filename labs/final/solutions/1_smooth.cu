// One of three is fixed: a warp's lanes read 32 banks.

// The places of all readings above the limit, in any order. `where` has been filled with -1.
__global__ void spot(int *where, int *found, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.98f) where[atomicAdd(found, 1)] = i;
}

// Every 16th word is a seal: what 128 rounds of mixing make of it. The others stay.
__global__ void seal(unsigned *out, const unsigned *in, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    unsigned x = in[i];
    if (i % 16 == 0)
        for (int round = 0; round < 128; round++) {
            x = x * 1664525u + 1013904223u;
            x ^= x >> 13;
        }
    out[i] = x;
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
    spot<<<(n + 255) / 256, 256>>>(where, found, in, n);
    seal<<<(m + 255) / 256, 256>>>(sealed, words, m);
    smooth<<<(sensors + 127) / 128, 128>>>(smoothed, readings, sensors, length);
}
