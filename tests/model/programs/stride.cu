// Strides, offsets and columns: how many sectors a warp asks for.
#include "timed.h"
using namespace timed;

__global__ void read_strided(const float *in, float *out, size_t n, size_t step) {
    size_t i = INDEX;
    if (i < n)
        out[i] = in[i * step];
}

__global__ void write_strided(const float *in, float *out, size_t n, size_t step) {
    size_t i = INDEX;
    if (i < n)
        out[i * step] = in[i];
}

__global__ void read_offset(const float *in, float *out, size_t n, int offset) {
    size_t i = INDEX;
    if (i < n)
        out[i] = in[i + offset] + 1;
}

__global__ void scale_columns(const float *in, float *out, int rows, int columns) {
    int row = INDEX, pitch = columns;
    if (row < rows)
        for (int k = 0; k < columns; k++)
            out[(size_t)row * pitch + k] = 2 * in[(size_t)row * pitch + k];
}

__global__ void blocked(const float *in, float *out, size_t n, int each) {
    size_t first = INDEX * each;
    float sum = 0;
    for (int k = 0; k < each && first + k < n; k++)
        sum += in[first + k];
    out[INDEX] = sum;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("stride.read") {
        size_t step = c.draw("step", 2, 40), n = 40000000 / step;
        auto in = floats(n * step);
        float *out = room<float>(n);
        c.time([&] { read_strided<<<blocks(n, 256), 256>>>(in.gpu, out, n, step); });
        c.check(out, n, [&](size_t i) { return in.cpu[i * step]; });
    }
    CASE("stride.write") {
        size_t step = c.draw("step", 2, 40), n = 40000000 / step;
        auto in = floats(n);
        float *out = room<float>(n * step);
        c.time([&] { write_strided<<<blocks(n, 128), 128>>>(in.gpu, out, n, step); });
        c.check(out, n * step, [&](size_t i) { return i % step ? 0 : in.cpu[i / step]; });
    }
    CASE("stride.read_two") {
        size_t n = 8000000;
        auto in = floats(n * 2);
        float *out = room<float>(n);
        c.time([&] { read_strided<<<blocks(n, 512), 512>>>(in.gpu, out, n, 2); });
        c.check(out, n, [&](size_t i) { return in.cpu[i * 2]; });
    }
    CASE("stride.offset") {
        size_t n = 8000000;
        int offset = c.draw("offset", 1, 31);
        auto in = floats(n + 32);
        float *out = room<float>(n);
        c.time([&] { read_offset<<<blocks(n, 256), 256>>>(in.gpu, out, n, offset); });
        c.check(out, n, [&](size_t i) { return in.cpu[i + offset] + 1; });
    }
    CASE("stride.row_a_thread") {
        int rows = c.draw("rows", 10000, 60000), columns = c.draw("columns", 50, 150);
        auto in = floats((size_t)rows * columns);
        float *out = room<float>(in.size());
        c.time([&] { scale_columns<<<blocks(rows, 128), 128>>>(in.gpu, out, rows, columns); });
        c.check(out, in.size(), [&](size_t i) { return 2 * in.cpu[i]; });
    }
    CASE("stride.blocked") {
        int each = c.draw("each", 8, 64);
        size_t threads = 256 * 800, n = threads * each;
        auto in = make<float>(n, [](size_t i) { return i % 5; });
        float *out = room<float>(threads);
        c.time([&] { blocked<<<800, 256>>>(in.gpu, out, n, each); });
        c.check(out, threads, [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < each; k++)
                sum += in.cpu[i * each + k];
            return sum;
        });
    }
    return failed;
}
