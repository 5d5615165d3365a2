// says: race at cell
#define SPOT_READINGS 4096

// A block looks at 4096 readings, its threads at 16 each, and asks for room once.
__global__ void spot(int *where, int *found, const float *in, int n) {
    __shared__ int of_block, base;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    int first = blockIdx.x * 4096 + threadIdx.x, mine = 0, at = 0;
    unsigned mask = 0; // of those that this thread has found
    for (int k = 0; k < 16; k++) {
        int i = first + k * 256;
        if (i < n && in[i] > 0.98f) mask |= 1u << k;
    }
    mine = __popc(mask);
    if (mine) at = atomicAdd(&of_block, mine);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(found, of_block);
    at += base;
    for (int k = 0; k < 16; k++)
        if (mask >> k & 1) where[at++] = first + k * 256;
}
