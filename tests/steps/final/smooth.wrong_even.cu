// says: still meet in one bank
// Each sensor's readings (up to 32, the oldest first), smoothed forwards and then backwards, so that nothing comes late.
__global__ void smooth(float *out, const float *in, int sensors, int length) {
    __shared__ float s[128][34];
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
