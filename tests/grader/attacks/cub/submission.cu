// Lets CUB do it, within a kernel of its own name.
#include <cub/block/block_reduce.cuh>
__global__ void sum(const float *in, float *out, int n) {
    typedef cub::BlockReduce<float, 256> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    float total = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        total += in[i];
    total = Reduce(storage).Sum(total);
    if (threadIdx.x == 0)
        out[0] = total;
}
void solve(const float *in, float *out, int n){
    sum<<<1, 256>>>(in, out, n);
}
