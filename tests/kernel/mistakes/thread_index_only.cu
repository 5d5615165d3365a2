// says: line 4 in to
// says: allocation top
// says: let each write places of its own
// ----
%%racecheck
__global__ void to(float *a, int n) {
    int i = threadIdx.x;
    if (i < n) a[i] = blockIdx.x;
}
float *top; cudaMallocManaged(&top, 1024 * sizeof(float));
to<<<4, 256>>>(top, 1024);
cudaDeviceSynchronize();
