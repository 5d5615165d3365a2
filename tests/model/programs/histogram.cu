// Histograms: atomics to global and to shared memory, of even and of skewed data.
#include "timed.h"
using namespace timed;

__global__ void global_bins(const unsigned char *data, size_t n, unsigned *bins) {
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
}

__global__ void shared_bins(const unsigned char *data, size_t n, unsigned *bins) {
    __shared__ unsigned mine[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        mine[k] = 0;
    __syncthreads();
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        if (mine[k])
            atomicAdd(&bins[k], mine[k]);
}

__global__ void warp_bins(const unsigned char *data, size_t n, unsigned *bins) {
    __shared__ unsigned mine[8][256];
    for (int k = threadIdx.x; k < 8 * 256; k += 256)
        mine[k / 256][k % 256] = 0;
    __syncthreads();
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&mine[threadIdx.x / 32][data[i]], 1);
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; w++)
        sum += mine[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

template <class K> void histogram(one_case &c, K kernel, bool skewed, unsigned grid, int low, int high) {
    size_t n = c.draw("n", low, high);
    unsigned spread = skewed ? 3 : c.draw("spread", 60, 256);
    auto data = make<unsigned char>(n, [&](size_t i) { return skewed && mix(i) % 8 ? 7 : mix(i + 99) % spread; });
    unsigned *bins = room<unsigned>(256);
    c.time([&] { kernel<<<grid, 256>>>(data.gpu, n, bins); }, [&] { cudaMemset(bins, 0, 1024); });
    std::vector<unsigned> want(256);
    for (auto v : data.cpu)
        want[v]++;
    c.check(bins, 256, [&](size_t i) { return want[i]; }, 0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("histogram.global") histogram(c, global_bins, false, 1056, 1000000, 3000000);
    CASE("histogram.global_skewed") histogram(c, global_bins, true, 1056, 500000, 1500000);
    CASE("histogram.shared") histogram(c, shared_bins, false, 1056, 4000000, 12000000);
    CASE("histogram.shared_skewed") histogram(c, shared_bins, true, 1056, 2000000, 6000000);
    CASE("histogram.warp") histogram(c, warp_bins, false, 528, 4000000, 12000000);
    CASE("histogram.few_blocks") histogram(c, shared_bins, false, c.draw("blocks", 20, 131), 1000000, 2000000);
    return failed;
}
