// says: line 1 in np
// says: was the pointer never set
// ----
__global__ void np(float *a) { a[threadIdx.x] = 1; }
float *npp = nullptr;
np<<<1, 32>>>(npp);
cudaDeviceSynchronize();
