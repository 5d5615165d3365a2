// says: line 3 in ob_shift
// says: allocation ob
// says: this is index 100
// ----
__global__ void ob_shift(float *a, int n) {
    int i = threadIdx.x;
    if (i <= n) a[i] = i;
}
float *ob; cudaMalloc(&ob, 100 * sizeof(float));
ob_shift<<<1, 128>>>(ob, 100);
cudaDeviceSynchronize();
