// says: which threads of a tile are still right?
__global__ void five_steps(const float *from, float *to, int n) {      // blocks of 128 threads; five steps in one launch
    __shared__ float points[2][128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;                                   // the point that this thread sees to
    bool there = i >= 0 && i < n, inner = i > 0 && i < n - 1;
    points[0][t] = points[1][t] = there ? from[i] : 0;
    for (int s = 0; s < 5; s++) {
        float *was = points[s % 2], *is = points[(s + 1) % 2];
        __syncthreads();
        if (inner && t > 0 && t < 127) is[t] = (was[t - 1] + was[t + 1]) / 2;
    }
    __syncthreads();
    if (there && true) to[i] = points[1][t];
}
