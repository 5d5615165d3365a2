// says: sectors a load in `warp_dot`; the step asks for at most 5
__global__ void warp_dot(float *out, const float *a, const float *b, int n) {
    int lane = threadIdx.x;                                   // 32 of them, and no more
    float sum = 0;
    int each = (n + 31) / 32;
    for (int i = lane * each; i < n && i < (lane + 1) * each; i++) sum += a[i] * b[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    out[lane] = sum;                                          // each lane has the whole sum
}
