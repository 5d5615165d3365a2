// says: One added, but only for itself
__global__ void tally(int *bins, const int *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned here = __ballot_sync(0xffffffff, i < n);             // the lanes that have a key
    if (i >= n) return;
    unsigned same = __match_any_sync(here, keys[i]);              // the lanes that have this lane's key
    if (__ffs(same) - 1 == lane) atomicAdd(&bins[keys[i]], 1);
}
