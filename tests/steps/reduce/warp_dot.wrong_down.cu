// says: Lane 0 has the sum: does it come back to the others?
__global__ void warp_dot(float *out, const float *a, const float *b, int n) {
    int lane = threadIdx.x;                                   // 32 of them, and no more
    float sum = 0;
    for (int i = lane; i < n; i += 32) sum += a[i] * b[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    out[lane] = sum;                                          // each lane has the whole sum
}
