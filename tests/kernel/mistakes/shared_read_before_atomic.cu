// says: line 8 in ra
// says: in line 9: a __syncthreads() is missing between them
// ----
%%racecheck
__global__ void ra(int *out) {
    __shared__ int count, base;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(out, count);
    out[1 + threadIdx.x] = base;
}
int *rap; cudaMallocManaged(&rap, 257 * sizeof(int));
ra<<<1, 256>>>(rap);
cudaDeviceSynchronize();
