__global__ void second(float *o) {
    fixed[threadIdx.x] = 10 * threadIdx.x;
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = dynamic[3 - threadIdx.x] + fixed[3];
}
second<<<1, 4, 16>>>(shown);
first<<<1, 4, 16>>>(shown + 0);
second<<<1, 4, 16>>>(shown);
cudaDeviceSynchronize();
shown[0]
