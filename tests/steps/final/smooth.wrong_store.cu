// says: should go out a row at a time, too
__global__ void smooth(float *out, const float *in, int sensors, int length) {
    __shared__ float s[128][33];
    int first = blockIdx.x * 128, t = threadIdx.x, lane = t % 32;
    for (int row = t / 32; row < 128; row += 4)
        if (first + row < sensors && lane < length) s[row][lane] = in[(first + row) * length + lane];
    __syncthreads();
    if (first + t >= sensors) return;
    float y = s[t][0];
    for (int k = 1; k < length; k++) s[t][k] = y += 0.25f * (s[t][k] - y);
    out[(first + t) * length + length - 1] = y;
    for (int k = length - 2; k >= 0; k--) out[(first + t) * length + k] = y += 0.25f * (s[t][k] - y); // a thread its own row
}
