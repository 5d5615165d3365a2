k<<<1, 1>>>();
cudaDeviceSynchronize();
__global__ void k2() { printf("%d\n", tile()); }
k2<<<1, 1>>>();
