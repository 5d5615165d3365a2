// says: The 32 lanes should read 32 neighbours at a time
__global__ void row_begins(int *out, const int *lengths, int n) {            // one warp
    int lane = threadIdx.x, each = (n + 31) / 32, sum = 0;
    for (int k = 0; k < each; k++) sum += lane * each + k < n ? lengths[lane * each + k] : 0;
    int before = sum;
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(0xffffffff, before, step);
        if (lane >= step) before += below;
    }
    before -= sum;
    for (int k = 0; k < each && lane * each + k < n; k++) {
        out[lane * each + k] = before;
        before += lengths[lane * each + k];
    }
    if (lane == 31) out[n] = before;
}
