int table[3] = {1, 2, 3}, *out;
cudaMallocManaged(&out, 128);
__device__ int seen_by;
auto times = [=] __device__ (int i) { atomicAdd(&seen_by, 1); return i * factor; };
auto either = [factor, t = table[1]] __host__ __device__ (int i) -> int {
    return i * factor + t;
};
auto from_table = [=] __device__(auto i) { return table[i % 3]; };
auto changes = [=]__device__(int i)mutable{ factor += i; return factor; };
auto run = [=](int m) {
    apply<<<1, 32>>>(out, [=] __device__(int i) { return i * m + factor + table[1]; });
    cudaDeviceSynchronize();
};
auto keeps = [] __device__(int i) { static int n; return atomicAdd(&n, i); };
run(2);
sum(times) + out[7]
