extern __shared__ float dynamic[];
__shared__ int fixed[4];
__global__ void first(float *o) {
    fixed[threadIdx.x] = threadIdx.x;
    dynamic[threadIdx.x] = 2 * threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = dynamic[3 - threadIdx.x] + fixed[3];
}
float *shown;
cudaMallocManaged(&shown, 16);
first<<<1, 4, 16>>>(shown);
cudaDeviceSynchronize();
shown[0]
