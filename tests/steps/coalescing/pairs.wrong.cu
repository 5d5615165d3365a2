// says: sectors a load in `add_pairs`; the step asks for at most 4.
__global__ void add_pairs(float *a, int n) {
    int t = threadIdx.x, block = blockIdx.x;
    int first = (block * 256 + t) * 2, second = first + 1;
    if (first < n) a[first] += 1;
    if (second < n) a[second] += 1;
}
