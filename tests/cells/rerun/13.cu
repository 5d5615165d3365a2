
__global__ void far(int *p) {
    p[threadIdx.x + 100] = 1;
}
int *few;
cudaMalloc(&few, 16);
far<<<1, 32>>>(few);
cudaDeviceSynchronize();
