// CUB and Thrust, whose kernels are the largest that students meet.
#include "check.h"

#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <vector>

static std::vector<int> numbers(int n) {
    std::vector<int> v(n);
    unsigned seed = 7;
    for (auto &x : v)
        x = (int)((seed = seed * 1664525u + 1013904223u) >> 12) - 500000;
    return v;
}

template <class Call> static void with_storage(Call call) {
    size_t bytes = 0;
    void *storage = nullptr;
    OK(call(storage, bytes));
    OK(cudaMalloc(&storage, bytes));
    OK(call(storage, bytes));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(storage));
}

static void cub_device() {
    const int n = 30011;
    auto v = numbers(n);
    std::vector<int> got(n);
    int *in, *out, sum;
    OK(cudaMalloc(&in, n * 4));
    OK(cudaMalloc(&out, n * 4));
    OK(cudaMemcpy(in, v.data(), n * 4, cudaMemcpyHostToDevice));
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in, out, n); });
    OK(cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost));
    EXPECT(sum == std::accumulate(v.begin(), v.end(), 0));
    with_storage(
        [&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSum(s, b, in, out, n); });
    OK(cudaMemcpy(got.data(), out, n * 4, cudaMemcpyDeviceToHost));
    std::vector<int> want(n);
    std::partial_sum(v.begin(), v.end(), want.begin());
    EXPECT(got == want);
}

__global__ void block_sums(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 128>;
    using Scan = cub::BlockScan<int, 128>;
    __shared__ union {
        Reduce::TempStorage reduce;
        Scan::TempStorage scan;
    } temp;
    int v = in[blockIdx.x * 128 + threadIdx.x], before;
    int sum = Reduce(temp.reduce).Sum(v);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(v, before);
    if (threadIdx.x == 0)
        out[blockIdx.x * 2] = sum;
    if (threadIdx.x == 127)
        out[blockIdx.x * 2 + 1] = before + v;
}

static void cub_block() {
    auto v = numbers(1024);
    int *in, *out, got[16];
    OK(cudaMalloc(&in, 4096));
    OK(cudaMalloc(&out, 64));
    OK(cudaMemcpy(in, v.data(), 4096, cudaMemcpyHostToDevice));
    block_sums<<<8, 128>>>(in, out);
    OK(cudaMemcpy(got, out, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) {
        int want = std::accumulate(&v[i * 128], &v[i * 128] + 128, 0);
        EXPECT(got[2 * i] == want && got[2 * i + 1] == want);
    }
}

struct Square {
    __host__ __device__ long operator()(int x) const {
        return (long)x * x;
    }
};

static void thrusts() {
    const int n = 5000;
    auto v = numbers(n);
    thrust::device_vector<int> d(v.begin(), v.end());
    long want = 0;
    for (int x : v)
        want += (long)x * x;
    EXPECT(thrust::transform_reduce(d.begin(), d.end(), Square(), 0l, thrust::plus<long>()) ==
           want);
    EXPECT(thrust::reduce(d.begin(), d.end(), -1000000, thrust::maximum<int>()) ==
           *std::max_element(v.begin(), v.end()));
    thrust::sort(d.begin(), d.end());
    std::sort(v.begin(), v.end());
    std::vector<int> got(n);
    thrust::copy(d.begin(), d.end(), got.begin());
    EXPECT(got == v);
}

int main(int argc, char **argv) {
    static const Case cases[] = {
        {"cub_device", cub_device}, {"cub_block", cub_block}, {"thrusts", thrusts}};
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
