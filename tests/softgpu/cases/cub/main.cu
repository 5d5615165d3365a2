// CUB's block- and device-wide algorithms.
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

__global__ void block_wide(const int *in, int *out) {
    typedef cub::BlockRadixSort<int, 128, 4> Sort;
    typedef cub::BlockScan<int, 128> Scan;
    typedef cub::BlockReduce<int, 128> Reduce;
    typedef cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE> Store;
    __shared__ union {
        Sort::TempStorage sort;
        Scan::TempStorage scan;
        Reduce::TempStorage reduce;
        Load::TempStorage load;
        Store::TempStorage store;
    } temp;
    int v[4], s[4];
    Load(temp.load).Load(in, v);
    __syncthreads();
    Sort(temp.sort).Sort(v);
    for (int i = 0; i < 4; i++)
        s[i] = v[i];
    __syncthreads();
    Store(temp.store).Store(out, s); // which reorders its argument
    __syncthreads();
    Scan(temp.scan).InclusiveSum(v, s);
    __syncthreads();
    Store(temp.store).Store(out + 512, s);
    __syncthreads();
    int total = Reduce(temp.reduce).Sum(v), warp = cub::WarpReduce<int>(*(cub::WarpReduce<int>::TempStorage *)&temp.scan).Sum(1);
    if (threadIdx.x == 0)
        out[1024] = total, out[1025] = warp;
}

template <class F> void with_storage(F call) {
    size_t bytes = 0;
    void *temp = nullptr;
    CUDA(call(temp, bytes));
    CUDA(cudaMalloc(&temp, bytes + 1));
    CUDA(call(temp, bytes));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(temp));
}

int main() {
    Random random(1);
    std::vector<int> in(512), want;
    for (auto &v : in)
        v = (int)random.next() >> 12;
    int *out = device<int>(1026);
    block_wide<<<1, 128>>>(device(in), out);
    LAUNCHED;
    auto got = fetch(out, 1026);
    want = in;
    std::sort(want.begin(), want.end());
    same("block sort", std::vector<int>(got.begin(), got.begin() + 512), want);
    std::partial_sum(want.begin(), want.end(), want.begin());
    same("block scan", std::vector<int>(got.begin() + 512, got.begin() + 1024), want);
    printf("block reduce %d, warp %d\n", got[1024] == want[511], got[1025]);

    const int n = 20001;
    std::vector<int> v(n);
    std::vector<float> f(n);
    for (int i = 0; i < n; i++)
        v[i] = (int)(random.next() >> 40) - (1 << 23), f[i] = (float)(i % 1000) - 300;
    int *dv = device(v), *di = device<int>(n), *count = device<int>(4);
    float *df = device(f), *sum = device<float>(1);
    with_storage([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, df, sum, n); });
    printf("sum %d\n", fetch(sum, 1)[0] == std::accumulate(f.begin(), f.end(), 0.0));
    with_storage([&](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, dv, count, n); });
    printf("max %d\n", fetch(count, 1)[0] == *std::max_element(v.begin(), v.end()));
    with_storage([&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, dv, di, n); });
    want.assign(n, 0);
    std::partial_sum(v.begin(), v.end() - 1, want.begin() + 1);
    same("scan", fetch(di, n), want);
    with_storage([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, dv, di, n); });
    want = v;
    std::sort(want.begin(), want.end());
    same("sort", fetch(di, n), want);
    auto is_even = [] __device__(int x) { return x % 2 == 0; };
    with_storage([&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, dv, di, count, n, is_even); });
    want = v;
    want.erase(std::remove_if(want.begin(), want.end(), [](int x) { return x % 2 != 0; }), want.end());
    printf("selected %d\n", fetch(count, 1)[0] == (int)want.size());
    same("select", fetch(di, want.size()), want);
    int *bins = device<int>(10);
    with_storage([&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, df, bins, 11, -300.0f, 700.0f, n); });
    for (int c : fetch(bins, 10))
        printf("%d ", c);
    printf("\n");
}
