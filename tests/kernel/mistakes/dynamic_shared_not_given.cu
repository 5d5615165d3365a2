// says: line 3 in dn
// says: was the third launch argument forgotten?
// ----
__global__ void dn(float *a) {
    extern __shared__ float s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[0];
}
float *dnp; cudaMallocManaged(&dnp, 256 * sizeof(float));
dn<<<1, 256>>>(dnp);
cudaDeviceSynchronize();
