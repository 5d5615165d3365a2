__global__ void er(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __shared__ float s[256];
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[min(255, n - 1 - (int)(blockIdx.x * 256)) - threadIdx.x];
}
float *eri, *ero; cudaMallocManaged(&eri, 4096); cudaMallocManaged(&ero, 4096);
er<<<4, 256>>>(ero, eri, 1000);
er<<<4, 256>>>(ero, eri, 512);
cudaDeviceSynchronize();
