// Transposes that are not the kernel set's: doubles, bytes, tiles of other sides, by shuffles.
#include "timed.h"
using namespace timed;

template <class T> __global__ void plain(const T *in, T *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[(size_t)x * h + y] = in[(size_t)y * w + x];
}

template <class T, int SIDE, int PAD> __global__ void tile(const T *in, T *out, int w, int h) {
    __shared__ T t[SIDE][SIDE + PAD];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x < w && y < h)
        t[threadIdx.y][threadIdx.x] = in[(size_t)y * w + x];
    __syncthreads();
    x = blockIdx.x * SIDE + threadIdx.y, y = blockIdx.y * SIDE + threadIdx.x;
    if (x < w && y < h)
        out[(size_t)x * h + y] = t[threadIdx.x][threadIdx.y];
}

template <class T, class F> void turn(one_case &c, F launch) {
    int w = c.draw("w", 1500, 4000), h = c.draw("h", 1500, 4000);
    auto in = make<T>((size_t)w * h, [](size_t i) { return mix(i) & 127; });
    T *out = room<T>(in.size());
    c.time([&] { launch(in.gpu, out, w, h); });
    c.check(out, in.size(), [&](size_t i) { return in.cpu[i % h * w + i / h]; }, 0);
}
template <class T, int SIDE, int PAD> void by_tiles(one_case &c) {
    turn<T>(c, [](T *in, T *out, int w, int h) { tile<T, SIDE, PAD><<<dim3(blocks(w, SIDE), blocks(h, SIDE)), dim3(SIDE, SIDE)>>>(in, out, w, h); });
}
template <class T> void plainly(one_case &c, dim3 b) {
    turn<T>(c, [=](T *in, T *out, int w, int h) { plain<<<dim3(blocks(w, b.x), blocks(h, b.y)), b>>>(in, out, w, h); });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("turn.plain_float") plainly<float>(c, dim3(32, 8));
    CASE("turn.plain_float_narrow") plainly<float>(c, dim3(4, 64));
    CASE("turn.plain_double") plainly<double>(c, dim3(16, 16));
    CASE("turn.plain_byte") plainly<unsigned char>(c, dim3(32, 32));
    CASE("turn.tile16") by_tiles<float, 16, 1>(c);
    CASE("turn.tile32_conflicts") by_tiles<float, 32, 0>(c);
    CASE("turn.tile_double") by_tiles<double, 32, 1>(c);
    CASE("turn.tile_double_conflicts") by_tiles<double, 16, 0>(c);
    CASE("turn.tile_byte") by_tiles<unsigned char, 32, 4>(c);
    return failed;
}
