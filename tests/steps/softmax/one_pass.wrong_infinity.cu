// says: What do lanes compute that have seen nothing?
__global__ void one_pass(float *out, const float *in, int cols) {              // one warp
    int lane = threadIdx.x;
    float most = -INFINITY, sum = 0;                           // of what this lane has seen: nothing
    for (int c = lane; c < cols; c += 32) {
        float x = in[c], larger = fmaxf(most, x);
        sum = sum * expf(most - larger) + expf(x - larger);
        most = larger;
    }
    for (int d = 16; d > 0; d /= 2) {                         // with the lane whose number differs in one bit
        float its_most = __shfl_xor_sync(0xffffffff, most, d), its_sum = __shfl_xor_sync(0xffffffff, sum, d);
        float larger = fmaxf(most, its_most);
        sum = sum * expf(most - larger) + its_sum * expf(its_most - larger);
        most = larger;
    }
    if (lane == 0) { out[0] = most; out[1] = sum; }
}
