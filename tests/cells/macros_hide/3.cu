int y = plus_c(1);
__global__ void writes(int *p) { *p = plus_dv(1) + dv; }
int *p;
cudaMallocManaged(&p, 4);
writes<<<1, 1>>>(p);
cudaDeviceSynchronize();
y * 100 + *p
