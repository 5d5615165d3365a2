// Images of bytes: grey from RGB, a blur, edges, a table look-up, a threshold.
#include "timed.h"
using namespace timed;
typedef unsigned char byte;

__constant__ byte constant_table[256];

__global__ void grey3(const byte *in, byte *out, int n) {
    int i = INDEX;
    if (i < n)
        out[i] = (in[3 * i] * 77 + in[3 * i + 1] * 151 + in[3 * i + 2] * 28) >> 8;
}
__global__ void grey4(const uchar4 *in, byte *out, int n) {
    int i = INDEX;
    if (i < n) {
        uchar4 p = in[i];
        out[i] = (p.x * 77 + p.y * 151 + p.z * 28) >> 8;
    }
}
__global__ void blur(const byte *in, byte *out, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, sum = 0;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++)
            sum += in[(y + a) * w + x + b];
    out[y * w + x] = sum / 9;
}
__global__ void edges(const byte *in, byte *out, int w, int h) {
    __shared__ byte t[18][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1, tx = threadIdx.x, ty = threadIdx.y;
    for (int k = ty * 32 + tx; k < 18 * 34; k += 512) {
        int x = min(max(x0 + k % 34, 0), w - 1), y = min(max(y0 + k / 34, 0), h - 1);
        t[k / 34][k % 34] = in[y * w + x];
    }
    __syncthreads();
    int x = x0 + 1 + tx, y = y0 + 1 + ty;
    int gx = t[ty][tx + 2] + 2 * t[ty + 1][tx + 2] + t[ty + 2][tx + 2] - t[ty][tx] - 2 * t[ty + 1][tx] - t[ty + 2][tx];
    int gy = t[ty + 2][tx] + 2 * t[ty + 2][tx + 1] + t[ty + 2][tx + 2] - t[ty][tx] - 2 * t[ty][tx + 1] - t[ty][tx + 2];
    if (x < w && y < h)
        out[y * w + x] = min(255, abs(gx) + abs(gy));
}
__global__ void by_constant(const byte *in, byte *out, int n) {
    int i = INDEX;
    if (i < n)
        out[i] = constant_table[in[i]];
}
__global__ void by_table(const byte *in, byte *out, int n, const byte *table) {
    int i = INDEX;
    if (i < n)
        out[i] = __ldg(&table[in[i]]);
}
__global__ void threshold(const uint4 *in, uint4 *out, int n, unsigned level) {
    int i = INDEX;
    if (i >= n)
        return;
    uint4 p = in[i];
    p.x = __vcmpgtu4(p.x, level), p.y = __vcmpgtu4(p.y, level), p.z = __vcmpgtu4(p.z, level), p.w = __vcmpgtu4(p.w, level);
    out[i] = p;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    auto noise = [](size_t i) { return mix(i) & 255; };
    for (int channels = 3; channels <= 4; channels++)
        CASE(channels == 3 ? "image.grey3" : "image.grey4") {
            int n = c.draw("n", 2000000, 8000000);
            auto in = make<byte>((size_t)channels * n, noise);
            byte *out = room<byte>(n), *p = in.cpu.data();
            c.time([&] { channels == 3 ? grey3<<<blocks(n, 256), 256>>>(in.gpu, out, n) : grey4<<<blocks(n, 256), 256>>>((uchar4 *)in.gpu, out, n); });
            c.check(out, n, [&](size_t i) { return (p[channels * i] * 77 + p[channels * i + 1] * 151 + p[channels * i + 2] * 28) >> 8; }, 0);
        }
    for (int edge = 0; edge < 2; edge++)
        CASE(edge ? "image.edges" : "image.blur") {
            int w = c.draw("w", 1000, 3000), h = c.draw("h", 1000, 2500);
            auto in = make<byte>((size_t)w * h, noise);
            byte *out = room<byte>(in.size()), *p = in.cpu.data();
            c.time([&] { edge ? edges<<<dim3(blocks(w, 32), blocks(h, 16)), dim3(32, 16)>>>(in.gpu, out, w, h) : blur<<<dim3(blocks(w, 32), blocks(h, 8)), dim3(32, 8)>>>(in.gpu, out, w, h); });
            auto at = [&](int x, int y) { return (int)p[(size_t)std::clamp(y, 0, h - 1) * w + std::clamp(x, 0, w - 1)]; };
            c.check(out, in.size(), [&](size_t i) {
                int x = i % w, y = i / w, sum = 0;
                if (edge) {
                    int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
                    int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1);
                    return std::min(255, abs(gx) + abs(gy));
                }
                for (int k = 0; k < 9; k++)
                    sum += at(x + k % 3 - 1, y + k / 3 - 1);
                return x < 1 || y < 1 || x >= w - 1 || y >= h - 1 ? 0 : sum / 9;
            }, 0);
        }
    for (int constant = 0; constant < 2; constant++)
        CASE(constant ? "image.constant_table" : "image.table") {
            int n = c.draw("n", 1000000, 3000000);
            auto in = make<byte>(n, noise), table = make<byte>(256, [](size_t i) { return 255 - i; });
            byte *out = room<byte>(n);
            cudaMemcpyToSymbol(constant_table, table.cpu.data(), 256);
            c.time([&] { constant ? by_constant<<<blocks(n, 256), 256>>>(in.gpu, out, n) : by_table<<<blocks(n, 256), 256>>>(in.gpu, out, n, table.gpu); });
            c.check(out, n, [&](size_t i) { return 255 - in.cpu[i]; }, 0);
        }
    CASE("image.threshold") {
        int n = c.draw("n", 500000, 3000000);
        auto in = make<byte>(16 * (size_t)n, noise);
        byte *out = room<byte>(in.size());
        c.time([&] { threshold<<<blocks(n, 256), 256>>>((uint4 *)in.gpu, (uint4 *)out, n, 0x80808080u); });
        c.check(out, in.size(), [&](size_t i) { return in.cpu[i] > 128 ? 255 : 0; }, 0);
    }
    return failed;
}
