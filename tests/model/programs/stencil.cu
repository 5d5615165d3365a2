// Stencils in one, two and three dimensions, plain and from shared memory.
#include "timed.h"
using namespace timed;

__global__ void line(const float *in, float *out, int n, int r) {
    int i = INDEX;
    if (i < r || i >= n - r)
        return;
    float sum = 0;
    for (int k = -r; k <= r; k++)
        sum += in[i + k];
    out[i] = sum;
}

template <int R> __global__ void line_shared(const float *in, float *out, int n) {
    __shared__ float tile[256 + 2 * R];
    int first = blockIdx.x * 256 - R;
    for (int k = threadIdx.x; k < 256 + 2 * R; k += 256)
        tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    __syncthreads();
    int i = INDEX;
    if (i < R || i >= n - R)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * R; k++)
        sum += tile[threadIdx.x + k];
    out[i] = sum;
}

__global__ void five(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    int i = y * w + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}

template <int W, int H> __global__ void five_shared(const float *in, float *out, int w, int h) {
    __shared__ float t[H + 2][W + 2];
    int x0 = blockIdx.x * W - 1, y0 = blockIdx.y * H - 1, tid = threadIdx.y * W + threadIdx.x;
    for (int k = tid; k < (W + 2) * (H + 2); k += W * H) {
        int x = x0 + k % (W + 2), y = y0 + k / (W + 2);
        t[k / (W + 2)][k % (W + 2)] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0;
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, a = threadIdx.y + 1, b = threadIdx.x + 1;
    if (x >= 1 && y >= 1 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.2f * (t[a][b] + t[a][b - 1] + t[a][b + 1] + t[a - 1][b] + t[a + 1][b]);
}

__global__ void seven(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int i = (z * n + y) * n + x;
    out[i] = in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n];
}

__global__ void seven_march(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int plane = n * n, i = plane + y * n + x;
    float below = in[i - plane], here = in[i];
    for (int z = 1; z < n - 1; z++, i += plane) {
        float above = in[i + plane];
        out[i] = here + in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + below + above;
        below = here, here = above;
    }
}

static void in_line(one_case &c, bool shared) {
    int n = c.draw("n", 3000000, 9000000), r = shared ? 8 : c.draw("radius", 1, 12);
    auto in = floats(n);
    float *out = room<float>(n);
    c.time([&] { shared ? line_shared<8><<<blocks(n, 256), 256>>>(in.gpu, out, n) : line<<<blocks(n, 256), 256>>>(in.gpu, out, n, r); });
    c.check(out, n, [&](size_t i) {
        double sum = 0;
        for (int k = -r; k <= r && (int)i >= r && (int)i < n - r; k++)
            sum += in.cpu[i + k];
        return sum;
    });
}
template <class F> void in_plane(one_case &c, F launch) {
    int w = c.draw("w", 1500, 3000), h = c.draw("h", 1500, 3000);
    auto in = floats((size_t)w * h);
    float *out = room<float>(in.size()), *p = in.cpu.data();
    c.time([&] { launch(in.gpu, out, w, h); });
    c.check(out, in.size(), [&](size_t i) {
        size_t x = i % w, y = i / w;
        return x < 1 || y < 1 || x >= w - 1u || y >= h - 1u ? 0 : 0.2f * (p[i] + p[i - 1] + p[i + 1] + p[i - w] + p[i + w]);
    });
}
template <class F> void in_space(one_case &c, F launch) {
    int n = c.draw("n", 150, 260);
    auto in = floats((size_t)n * n * n);
    float *out = room<float>(in.size()), *p = in.cpu.data();
    c.time([&] { launch(in.gpu, out, n); });
    c.check(out, in.size(), [&](size_t i) {
        size_t x = i % n, y = i / n % n, z = i / n / n, m = n - 1, nn = (size_t)n * n;
        bool edge = x < 1 || y < 1 || z < 1 || x >= m || y >= m || z >= m;
        return edge ? 0 : p[i] + p[i - 1] + p[i + 1] + p[i - n] + p[i + n] + p[i - nn] + p[i + nn];
    });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("stencil.line") in_line(c, false);
    CASE("stencil.line_shared") in_line(c, true);
    CASE("stencil.plane") in_plane(c, [](float *in, float *out, int w, int h) {
        five<<<dim3(blocks(w, 32), blocks(h, 8)), dim3(32, 8)>>>(in, out, w, h);
    });
    CASE("stencil.plane_narrow") in_plane(c, [](float *in, float *out, int w, int h) {
        five<<<dim3(blocks(w, 8), blocks(h, 32)), dim3(8, 32)>>>(in, out, w, h);
    });
    CASE("stencil.plane_shared") in_plane(c, [](float *in, float *out, int w, int h) {
        five_shared<32, 16><<<dim3(blocks(w, 32), blocks(h, 16)), dim3(32, 16)>>>(in, out, w, h);
    });
    CASE("stencil.plane_shared_16") in_plane(c, [](float *in, float *out, int w, int h) {
        five_shared<16, 16><<<dim3(blocks(w, 16), blocks(h, 16)), dim3(16, 16)>>>(in, out, w, h);
    });
    CASE("stencil.space") in_space(c, [](float *in, float *out, int n) {
        seven<<<dim3(blocks(n, 32), blocks(n, 4), n), dim3(32, 4)>>>(in, out, n);
    });
    CASE("stencil.space_march") in_space(c, [](float *in, float *out, int n) {
        seven_march<<<dim3(blocks(n, 32), blocks(n, 4)), dim3(32, 4)>>>(in, out, n);
    });
    return failed;
}
