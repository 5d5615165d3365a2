__global__ void add_pairs(float *a, int n) {
    int t = threadIdx.x, block = blockIdx.x;          // 256 threads a block, 512 elements
    int first = block * 512 + t, second = first + 256;
    if (first < n) a[first] += 1;
    if (second < n) a[second] += 1;
}
