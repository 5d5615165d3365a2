// Prefix sums: of each block in three ways, and of a whole array in three launches.
#include "timed.h"
using namespace timed;

__global__ void hillis_steele(const int *in, int *out, int *sums) {
    __shared__ int t[2][512];
    int i = threadIdx.x, from = 0;
    t[0][i] = in[INDEX];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2, from = 1 - from) {
        t[1 - from][i] = t[from][i] + (i >= d ? t[from][i - d] : 0);
        __syncthreads();
    }
    out[INDEX] = t[from][i];
    if (i == 511)
        sums[blockIdx.x] = t[from][i];
}

__global__ void blelloch(const int *in, int *out, int *sums) {
    __shared__ int t[512];
    int i = threadIdx.x;
    t[i] = in[blockIdx.x * 512 + i], t[i + 256] = in[blockIdx.x * 512 + i + 256];
    int first = t[i], second = t[i + 256];
    for (int d = 1; d < 512; d *= 2) {
        __syncthreads();
        int at = (i + 1) * 2 * d - 1;
        if (at < 512)
            t[at] += t[at - d];
    }
    __syncthreads();
    if (i == 0)
        sums[blockIdx.x] = t[511], t[511] = 0;
    for (int d = 256; d > 0; d /= 2) {
        __syncthreads();
        int at = (i + 1) * 2 * d - 1;
        if (at < 512) {
            int left = t[at - d];
            t[at - d] = t[at], t[at] += left;
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + i] = t[i] + first, out[blockIdx.x * 512 + i + 256] = t[i + 256] + second;
}

__global__ void by_shuffle(const int *in, int *out, int *sums) {
    __shared__ int warps[16];
    int i = threadIdx.x, lane = i % 32, v = in[INDEX];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? left : 0;
    }
    if (lane == 31)
        warps[i / 32] = v;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < i / 32; w++)
        before += warps[w];
    out[INDEX] = v + before;
    if (i == 511)
        sums[blockIdx.x] = v + before;
}

__global__ void scan_sums(int *sums, int n) {
    __shared__ int t[1024];
    int i = threadIdx.x, carry = 0;
    for (int base = 0; base < n; base += 1024) {
        t[i] = base + i < n ? sums[base + i] : 0;
        __syncthreads();
        for (int d = 1; d < 1024; d *= 2) {
            int left = i >= d ? t[i - d] : 0;
            __syncthreads();
            t[i] += left;
            __syncthreads();
        }
        if (base + i < n)
            sums[base + i] = carry + t[i];
        carry += t[1023];
        __syncthreads();
    }
}

__global__ void add_sums(int *out, const int *sums) {
    if (blockIdx.x)
        out[INDEX] += sums[blockIdx.x - 1];
}

template <class F> void scan(one_case &c, bool whole, F launch) {
    int grid = c.draw("blocks", 3000, 12000), n = grid * 512;
    auto in = make<int>(n, [](size_t i) { return mix(i) % 3; });
    int *out = room<int>(n), *sums = room<int>(grid);
    c.time([&] { launch(in.gpu, out, sums, grid); });
    std::vector<int> want(n);
    for (int i = 0; i < n; i++)
        want[i] = in.cpu[i] + (i && (whole || i % 512) ? want[i - 1] : 0);
    c.check(out, n, [&](size_t i) { return want[i]; }, 0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("scan.hillis_steele") scan(c, false, [](int *in, int *out, int *sums, int g) { hillis_steele<<<g, 512>>>(in, out, sums); });
    CASE("scan.blelloch") scan(c, false, [](int *in, int *out, int *sums, int g) { blelloch<<<g, 256>>>(in, out, sums); });
    CASE("scan.shuffle") scan(c, false, [](int *in, int *out, int *sums, int g) { by_shuffle<<<g, 512>>>(in, out, sums); });
    CASE("scan.whole") scan(c, true, [](int *in, int *out, int *sums, int g) {
        by_shuffle<<<g, 512>>>(in, out, sums);
        scan_sums<<<1, 1024>>>(sums, g);
        add_sums<<<g, 512>>>(out, sums);
    });
    CASE("scan.sums_alone") {
        int n = c.draw("n", 10000, 60000);
        auto in = make<int>(n, [](size_t i) { return i % 3; });
        c.time([&] { scan_sums<<<1, 1024>>>(in.gpu, n); }, [&] { cudaMemcpy(in.gpu, in.cpu.data(), 4 * n, cudaMemcpyHostToDevice); });
        c.check(in.gpu, n, [&](size_t i) { return i / 3 * 3 + (i % 3) * (i % 3 + 1) / 2; }, 0);
    }
    return failed;
}
