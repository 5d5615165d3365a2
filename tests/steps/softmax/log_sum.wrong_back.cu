// says: What was subtracted has to come back
__global__ void log_sum(float *out, const float *in, int rows, int cols) {     // a warp a row
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *from = in + row * cols;
    float most = -INFINITY, sum = 0;
    for (int c = lane; c < cols; c += 32) most = fmaxf(most, from[c]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    for (int c = lane; c < cols; c += 32) sum += expf(from[c] - most);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[row] = logf(sum);
}
