// says: The first 32 are right: what is carried on?
__global__ void row_begins(int *out, const int *lengths, int n) {            // one warp
    int lane = threadIdx.x, carried = 0;
    for (int first = 0; first < n; first += 32) {
        int i = first + lane, mine = i < n ? lengths[i] : 0, sum = mine;
        for (int step = 1; step < 32; step *= 2) {
            int below = __shfl_up_sync(0xffffffff, sum, step);
            if (lane >= step) sum += below;
        }
        if (i < n) out[i] = carried + sum - mine;
        carried += sum;          // what all 32 add up to
    }
    if (lane == 0) out[n] = carried;
}
