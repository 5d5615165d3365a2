// Convolutions: separable rows and columns, and direct in the plane, weights in constant memory.
#include "timed.h"
using namespace timed;

__constant__ float weight[81];

__global__ void along_rows(const float *in, float *out, int w, int h, int r) {
    extern __shared__ float t[];
    int y = blockIdx.y, x0 = blockIdx.x * blockDim.x;
    for (int k = threadIdx.x; k < (int)blockDim.x + 2 * r; k += blockDim.x) {
        int x = x0 + k - r;
        t[k] = x >= 0 && x < w ? in[(size_t)y * w + x] : 0;
    }
    __syncthreads();
    int x = x0 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= 2 * r; k++)
        sum += t[threadIdx.x + k] * weight[k];
    if (x < w)
        out[(size_t)y * w + x] = sum;
}

__global__ void along_columns(const float *in, float *out, int w, int h, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    float sum = 0;
    for (int k = -r; k <= r; k++)
        if (y + k >= 0 && y + k < h)
            sum += in[(size_t)(y + k) * w + x] * weight[k + r];
    out[(size_t)y * w + x] = sum;
}

template <int R> __global__ void plane(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < R || y < R || x >= w - R || y >= h - R)
        return;
    float sum = 0;
#pragma unroll
    for (int a = -R; a <= R; a++)
#pragma unroll
        for (int b = -R; b <= R; b++)
            sum += in[(size_t)(y + a) * w + x + b] * weight[(a + R) * (2 * R + 1) + b + R];
    out[(size_t)y * w + x] = sum;
}

template <class F> void convolve(one_case &c, F sum, int w, int h, const std::function<void(float *, float *)> &launch) {
    auto in = floats((size_t)w * h);
    float *out = room<float>(in.size()), host[81];
    for (int k = 0; k < 81; k++)
        host[k] = 0.01f * (k + 1);
    must(cudaMemcpyToSymbol(weight, host, sizeof host), "cudaMemcpyToSymbol");
    c.time([&] { launch(in.gpu, out); });
    c.check(out, in.size(), [&](size_t i) { return sum(in.cpu, (int)(i % w), (int)(i / w), host); });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    for (int columns = 0; columns < 2; columns++)
        CASE(columns ? "convolution.columns" : "convolution.rows") {
            int w = c.draw("w", 1000, 2500), h = c.draw("h", 800, 1500), r = c.draw("r", 2, 16);
            convolve(c, [&](std::vector<float> &p, int x, int y, float *k) {
                double sum = 0;
                for (int d = -r; d <= r; d++)
                    if (columns ? y + d >= 0 && y + d < h : x + d >= 0 && x + d < w)
                        sum += p[columns ? (size_t)(y + d) * w + x : (size_t)y * w + x + d] * k[d + r];
                return sum;
            }, w, h, [&](float *in, float *out) {
                if (columns)
                    along_columns<<<dim3(blocks(w, 128), h), 128>>>(in, out, w, h, r);
                else
                    along_rows<<<dim3(blocks(w, 128), h), 128, (128 + 2 * r) * 4>>>(in, out, w, h, r);
            });
        }
    for (int r = 1; r <= 4; r++) {
        std::string name = "convolution.plane_" + std::to_string(r);
        CASE(name.c_str()) {
            int w = c.draw("w", 1000, 2500), h = c.draw("h", 800, 1500);
            convolve(c, [&](std::vector<float> &p, int x, int y, float *k) {
                double sum = 0;
                for (int a = -r; a <= r && x >= r && y >= r && x < w - r && y < h - r; a++)
                    for (int b = -r; b <= r; b++)
                        sum += p[(size_t)(y + a) * w + x + b] * k[(a + r) * (2 * r + 1) + b + r];
                return sum;
            }, w, h, [&](float *in, float *out) {
                (r == 1 ? plane<1> : r == 2 ? plane<2> : r == 3 ? plane<3> : plane<4>)<<<dim3(blocks(w, 32), blocks(h, 8)), dim3(32, 8)>>>(in, out, w, h);
            });
        }
    }
    return failed;
}
