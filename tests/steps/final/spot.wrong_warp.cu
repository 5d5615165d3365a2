// says: A warp that asks once still stands in line
#define SPOT_READINGS 256

__global__ void spot(int *where, int *found, const float *in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, base = 0;
    bool mine = i < n && in[i] > 0.98f;
    unsigned all = __ballot_sync(0xffffffff, mine);
    if (lane == 0 && all) base = atomicAdd(found, __popc(all));
    base = __shfl_sync(0xffffffff, base, 0);
    if (mine) where[base + __popc(all & ((1u << lane) - 1))] = i;
}
