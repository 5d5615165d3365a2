// says: line 2 in rs_sum
// says: atomicAdd()
// ----
%%racecheck
__global__ void rs_sum(int *sum, int *a) { *sum += a[threadIdx.x]; }
int *rs; cudaMallocManaged(&rs, 256 * sizeof(int));
rs_sum<<<1, 256>>>(rs, rs + 1);
cudaDeviceSynchronize();
