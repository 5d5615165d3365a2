// Sums and barriers: trees in shared memory in three orders, shuffles, atomics at the end, phases between barriers.
#include "timed.h"
using namespace timed;

enum way { BY_MODULO, BY_STRIDE, IN_ORDER, BY_SHUFFLE, WARP_ATOMIC };

template <int WAY, class T> __global__ void sum_blocks(const T *in, T *out, int n, int each) {
    extern __shared__ double room_for_all[];
    T *t = (T *)room_for_all, v = 0;
    unsigned i = threadIdx.x, size = blockDim.x;
    for (int k = 0; k < each; k++) {
        size_t at = ((size_t)blockIdx.x * each + k) * size + i;
        v += at < n ? in[at] : 0;
    }
    if (WAY == BY_SHUFFLE || WAY == WARP_ATOMIC) {
        for (int d = 16; d; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
        if (WAY == WARP_ATOMIC) {
            if (i % 32 == 0)
                atomicAdd(out, v);
            return;
        }
        if (i % 32 == 0)
            t[i / 32] = v;
        __syncthreads();
        if (i == 0) {
            for (unsigned w = 1; w < size / 32; w++)
                v += t[w];
            atomicAdd(out, v);
        }
        return;
    }
    t[i] = v;
    for (unsigned d = 1; d < size; d *= 2) {
        __syncthreads();
        unsigned back = size / (2 * d);
        if (WAY == BY_MODULO && i % (2 * d) == 0)
            t[i] += t[i + d];
        if (WAY == BY_STRIDE && 2 * d * i + d < size)
            t[2 * d * i] += t[2 * d * i + d];
        if (WAY == IN_ORDER && i < back)
            t[i] += t[i + back];
    }
    if (i == 0)
        atomicAdd(out, t[0]);
}

__global__ void phases(int *out, int rounds) {
    __shared__ int t[1024];
    int i = threadIdx.x, n = blockDim.x;
    t[i] = i;
    for (int k = 0; k < rounds; k++) {
        __syncthreads();
        int v = t[(i + 1) % n];
        __syncthreads();
        t[i] = v;
    }
    out[INDEX] = t[i];
}

template <int WAY, class T = float> void sum(one_case &c) {
    int each = c.draw("each", 1, 8), threads = 32 << c.draw("log_warps", 1, 5), n = c.draw("n", 4000000, 16000000);
    auto in = make<T>(n, [](size_t i) { return mix(i) % 2; });
    T *out = room<T>(1);
    c.time([&] { sum_blocks<WAY, T><<<blocks(n, each * threads), threads, threads * sizeof(T)>>>(in.gpu, out, n, each); },
           [&] { cudaMemset(out, 0, sizeof(T)); });
    double want = 0;
    for (T v : in.cpu)
        want += v;
    c.expect("the sum", back(out, 1)[0], want, 1e-6);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("reduce.by_modulo") sum<BY_MODULO>(c);
    CASE("reduce.by_stride") sum<BY_STRIDE>(c);
    CASE("reduce.in_order") sum<IN_ORDER>(c);
    CASE("reduce.by_shuffle") sum<BY_SHUFFLE>(c);
    CASE("reduce.warp_atomic") sum<WARP_ATOMIC>(c);
    CASE("reduce.double_in_order") sum<IN_ORDER, double>(c);
    CASE("reduce.double_by_shuffle") sum<BY_SHUFFLE, double>(c);
    for (int threads : {64, 256, 1024}) {
        std::string name = "reduce.phases_" + std::to_string(threads);
        CASE(name.c_str()) {
            int grid = c.draw("blocks", 100, 600), rounds = c.draw("rounds", 200, 1200);
            int *out = room<int>(grid * threads);
            c.time([&] { phases<<<grid, threads>>>(out, rounds); });
            c.check(out, grid * threads, [&](size_t i) { return (i % threads + rounds) % threads; }, 0);
        }
    }
    return failed;
}
