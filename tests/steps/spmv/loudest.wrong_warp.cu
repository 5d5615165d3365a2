// says: That is of another row
__global__ void loudest(const int *starts, const float *values, float *out, int rows) {   // 8 lanes a row
    int t = blockIdx.x * blockDim.x + threadIdx.x, r = t / 8, lane = t % 8;
    float most = 0;                                                  // an empty row has 0
    if (r < rows)
        for (int i = starts[r] + lane; i < starts[r + 1]; i += 8) most = max(most, abs(values[i]));
    for (int step = 4; step > 0; step /= 2) most = max(max(most, __shfl_down_sync(0xffffffff, most, 16)), max(__shfl_down_sync(0xffffffff, most, 8), __shfl_down_sync(0xffffffff, most, step)));
    if (r < rows && lane == 0) out[r] = most;
}
