// says: kernel tm
// says: 2048 threads
// says: line 3
// says: launch more blocks
// ----
__global__ void tm(float *a) { a[threadIdx.x] = 1; }
float *tmp_; cudaMallocManaged(&tmp_, 2048 * sizeof(float));
tm<<<1, 2048>>>(tmp_);
cudaDeviceSynchronize();
