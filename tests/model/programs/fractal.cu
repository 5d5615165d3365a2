// Mandelbrot: warps whose lanes leave the loop at different times, in blocks of several shapes.
#include "timed.h"
using namespace timed;

__host__ __device__ int steps(float cx, float cy, int most) {
    float x = 0, y = 0;
    int n = 0;
    while (n < most && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy, x = t, n++;
    }
    return n;
}

__global__ void mandelbrot(unsigned short *out, int w, int h, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = steps(-2.0f + 3.0f * x / w, -1.0f + 2.0f * y / h, most);
}

static void picture(one_case &c, dim3 block) {
    int w = c.draw("w", 400, 1400), h = c.draw("h", 400, 1000), most = c.draw("most", 100, 1000);
    auto *out = room<unsigned short>((size_t)w * h);
    c.time([&] { mandelbrot<<<dim3(blocks(w, block.x), blocks(h, block.y)), block>>>(out, w, h, most); });
    auto got = back(out, (size_t)w * h);
    size_t same = 0, all = 0; // a point at the edge of the set may take another way on the CPU
    for (size_t i = 0; i < got.size(); i += 997, all++)
        same += got[i] == steps(-2.0f + 3.0f * (i % w) / w, -1.0f + 2.0f * (i / w) / h, most);
    c.expect("the share of points that are as on the CPU", (double)same / all, 1, 0.1);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("fractal.rows") picture(c, dim3(256, 1));
    CASE("fractal.tiles") picture(c, dim3(16, 16));
    CASE("fractal.columns") picture(c, dim3(1, 128));
    return failed;
}
