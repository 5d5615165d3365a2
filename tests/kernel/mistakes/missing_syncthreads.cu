// says: line 4 in ms_turn
// says: in line 5: a __syncthreads() is missing between them
// ----
%%racecheck
__global__ void ms_turn(int *a) {
    __shared__ int s[256];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[255 - threadIdx.x];
}
int *ms; cudaMallocManaged(&ms, 256 * sizeof(int));
ms_turn<<<1, 256>>>(ms);
cudaDeviceSynchronize();
