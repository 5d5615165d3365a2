__global__ void __cluster_dims__(2, 1, 1) cl(int *o) { o[blockIdx.x] = 1; }
__global__ void __maxnreg__(32) mr(int *o) { o[blockIdx.x] = 1; }
mr<<<1, 32>>>((int *)q);
cudaDeviceSynchronize();
*(int *)q
