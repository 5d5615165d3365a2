// says: line 3 in rc
// says: allocation rcp
// says: this is index 160
// ----
__global__ void rc(float *a, int rows, int cols) {
    int r = threadIdx.y, c = threadIdx.x;
    if (r < rows && c < cols) a[c * cols + r] = 1;
}
float *rcp; cudaMalloc(&rcp, 8 * 20 * sizeof(float));
rc<<<1, dim3(20, 8)>>>(rcp, 8, 20);
cudaDeviceSynchronize();
