__global__ void out_of_bounds(int *a) {
    a[threadIdx.x + 1000000] = 1;
}
out_of_bounds<<<1, 32>>>(seen);
