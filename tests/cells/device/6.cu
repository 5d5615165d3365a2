__device__ int minus1(int x) { return -1; }
__device__ int minus2(int x) { return -2; }
__global__ void elsewhere(int *x, bool b) {
    operation o = b ? minus1 : minus2;
    if (*x == 9)
        o = table[0];
    *x = o(2);
}
elsewhere<<<1, 1>>>(result, true);
cudaDeviceSynchronize();
