template <class F> __global__ void apply(int *x, F f) { x[threadIdx.x] = f(threadIdx.x); }
template <class F> int sum(F f) {
    int *x, s = 0;
    cudaMallocManaged(&x, 128);
    apply<<<1, 32>>>(x, f);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        s += x[i];
    cudaFree(x);
    return s;
}
int factor = 5, *x;
cudaMallocManaged(&x, 128);
__device__ int calls;
apply<<<1, 32>>>(x, [=] __device__(int i) { atomicAdd(&calls, 1); return i * factor; });
cudaDeviceSynchronize();
int first = x[7];
int total = sum([=] __device__(int i) { return i * factor + 1; });
int seen;
cudaMemcpyFromSymbol(&seen, calls, sizeof seen);
printf("%d %d %d\n", first, total, seen);
