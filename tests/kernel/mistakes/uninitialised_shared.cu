// says: line 4 in us_count
// says: count
// says: Set it first
// ----
%%memcheck
__global__ void us_count(int *out) {
    __shared__ int count;
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
int *us; cudaMallocManaged(&us, 256 * sizeof(int));
us_count<<<1, 256>>>(us);
cudaDeviceSynchronize();
