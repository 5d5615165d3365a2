// says: line 3 in sm
// says: by all lanes of its mask
// ----
__global__ void sm(int *a) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) v += __shfl_down_sync(0xffffffff, v, 8);
    a[threadIdx.x] = v;
}
int *smp; cudaMallocManaged(&smp, 128);
sm<<<1, 32>>>(smp);
cudaDeviceSynchronize();
