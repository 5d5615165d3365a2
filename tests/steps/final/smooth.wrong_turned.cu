// says: as it comes in, down a column in the loops
// Each sensor's readings (up to 32, the oldest first), smoothed forwards and then backwards, so that nothing comes late.
__global__ void smooth(float *out, const float *in, int sensors, int length) {
    __shared__ float s[32][128];
    int first = blockIdx.x * 128, t = threadIdx.x, lane = t % 32;
    for (int row = t / 32; row < 128; row += 4)
        if (first + row < sensors && lane < length) s[lane][row] = in[(first + row) * length + lane];
    __syncthreads();
    if (first + t < sensors) {
        float y = s[0][t];
        for (int k = 1; k < length; k++) s[k][t] = y += 0.25f * (s[k][t] - y);
        for (int k = length - 2; k >= 0; k--) s[k][t] = y += 0.25f * (s[k][t] - y);
    }
    __syncthreads();
    for (int row = t / 32; row < 128; row += 4)
        if (first + row < sensors && lane < length) out[(first + row) * length + lane] = s[lane][row];
}
