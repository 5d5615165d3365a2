// says: line 1 in hp_add
// says: is it a pointer to the host's memory
// ----
__global__ void hp_add(float *a) { a[threadIdx.x] += 1; }
float *hp = (float *)malloc(256 * sizeof(float));
hp_add<<<1, 256>>>(hp);
cudaDeviceSynchronize();
