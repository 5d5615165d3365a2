// Other loops over grids and graphs: life, Jacobi in several launches, heat in rows, nearest centres, one level of a search, a run of a filter.
#include "timed.h"
using namespace timed;

__global__ void life(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
    if (x >= w || y >= h)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy + h) % h * w + (x + dx + w) % w];
    int here = in[y * w + x];
    out[y * w + x] = sum == 3 || (here && sum == 4);
}
__global__ void jacobi(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = x && y && x < n - 1 && y < n - 1 ? 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]) : 1;
}
__global__ void nearest(const float *points, const float *centres, int *out, int n, int k, int d) {
    extern __shared__ float t[];
    for (int j = threadIdx.x; j < k * d; j += blockDim.x)
        t[j] = centres[j];
    __syncthreads();
    int i = INDEX, best = 0;
    if (i >= n)
        return;
    float least = 1e30f;
    for (int a = 0; a < k; a++) {
        float far = 0;
        for (int b = 0; b < d; b++) {
            float v = points[(size_t)b * n + i] - t[a * d + b];
            far += v * v;
        }
        if (far < least)
            least = far, best = a;
    }
    out[i] = best;
}
__global__ void level(const int *first, const int *to, int *depth, int n, int now) {
    int v = INDEX;
    if (v >= n || depth[v] != now)
        return;
    for (int e = first[v]; e < first[v + 1]; e++)
        if (depth[to[e]] < 0)
            depth[to[e]] = now + 1;
}
// Each thread runs down a column: y[t] = a x[t] + b y[t - 1].
__global__ void filter(const float *in, float *out, int columns, int steps) {
    int x = INDEX;
    if (x >= columns)
        return;
    float y = 0;
    for (int t = 0; t < steps; t++) {
        y = 0.5f * in[(size_t)t * columns + x] + 0.5f * y;
        out[(size_t)t * columns + x] = y;
    }
}
// The longest common subsequence's table, by diagonals in shared memory.
__global__ void subsequence(const unsigned char *a, const unsigned char *b, int *out, int n) {
    __shared__ int d[3][257];
    int i = threadIdx.x + 1;
    const unsigned char *p = a + (size_t)blockIdx.x * n, *q = b + (size_t)blockIdx.x * n;
    for (int k = threadIdx.x; k < 3 * 257; k += blockDim.x)
        d[k / 257][k % 257] = 0;
    __syncthreads();
    for (int s = 2; s <= 2 * n; s++) {
        int j = s - i, now = s % 3, one = (s + 2) % 3, two = (s + 1) % 3;
        if (i <= n && j >= 1 && j <= n)
            d[now][i] = p[i - 1] == q[j - 1] ? d[two][i - 1] + 1 : max(d[one][i - 1], d[one][i]);
        __syncthreads();
    }
    if (i == n)
        out[blockIdx.x] = d[2 * n % 3][n];
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("sweeps.life") {
        int w = c.draw("w", 800, 2000), h = c.draw("h", 500, 1500);
        auto in = make<unsigned char>((size_t)w * h, [](size_t i) { return mix(i) & 1; });
        auto *out = room<unsigned char>(in.size());
        c.time([&] { life<<<dim3(blocks(w, 64), blocks(h, 4)), dim3(64, 4)>>>(in.gpu, out, w, h); });
        c.check(out, in.size(), [&](size_t i) {
            int x = i % w, y = i / w, sum = 0;
            for (int k = 0; k < 9; k++)
                sum += in.cpu[(size_t)((y + k / 3 - 1 + h) % h) * w + (x + k % 3 - 1 + w) % w];
            return sum == 3 || (in.cpu[i] && sum == 4);
        }, 0);
    }
    CASE("sweeps.jacobi") {
        int n = c.draw("n", 600, 1500), sweeps = c.draw("sweeps", 4, 12);
        float *two[2] = {room<float>((size_t)n * n), room<float>((size_t)n * n)};
        c.time([&] {
            for (int k = 0; k < sweeps; k++)
                jacobi<<<dim3(blocks(n, 32), blocks(n, 8)), dim3(32, 8)>>>(two[k % 2], two[1 - k % 2], n);
        }, [&] { cudaMemset(two[0], 0, (size_t)n * n * 4); });
        std::vector<float> v((size_t)n * n), u = v;
        for (int k = 0; k < sweeps; k++, std::swap(u, v))
            for (int y = 0; y < n; y++)
                for (int x = 0; x < n; x++)
                    u[y * n + x] = x && y && x < n - 1 && y < n - 1 ? 0.25f * (v[y * n + x - 1] + v[y * n + x + 1] + v[(y - 1) * n + x] + v[(y + 1) * n + x]) : 1;
        c.check(two[sweeps % 2], v.size(), [&](size_t i) { return v[i]; });
    }
    CASE("sweeps.nearest") {
        int n = c.draw("n", 200000, 800000), k = c.draw("k", 4, 40), d = c.draw("d", 2, 16);
        auto points = floats((size_t)n * d), centres = floats(k * d + 1000);
        int *out = room<int>(n);
        c.time([&] { nearest<<<blocks(n, 128), 128, k * d * 4>>>(points.gpu, centres.gpu + 1000, out, n, k, d); });
        auto got = back(out, n);
        auto far = [&](int i, int a) {
            double sum = 0;
            for (int b = 0; b < d; b++)
                sum += pow(points.cpu[(size_t)b * n + i] - centres.cpu[1000 + a * d + b], 2);
            return sum;
        };
        for (int i = 0; i < n; i += n / 500)
            for (int a = 0; a < k; a++)
                c.expect("1 if no centre is nearer", far(i, got[i]) <= far(i, a) * 1.0001 + 1e-6, 1, 0);
    }
    CASE("sweeps.level") {
        int n = c.draw("n", 200000, 600000), each = c.draw("each", 4, 16);
        auto first = make<int>(n + 1, [&](size_t i) { return i * each; });
        auto to = make<int>((size_t)n * each, [&](size_t i) { return mix(i) % n; });
        auto depth = make<int>(n, [](size_t i) { return mix(i + 5) % 8 ? -1 : 0; });
        c.time([&] { level<<<blocks(n, 256), 256>>>(first.gpu, to.gpu, depth.gpu, n, 0); },
               [&] { cudaMemcpy(depth.gpu, depth.cpu.data(), n * 4, cudaMemcpyHostToDevice); });
        auto want = depth.cpu;
        for (int v = 0; v < n; v++)
            for (int e = v * each; e < (v + 1) * each && depth.cpu[v] == 0; e++)
                if (want[to.cpu[e]] < 0)
                    want[to.cpu[e]] = 1;
        c.check(depth.gpu, n, [&](size_t i) { return want[i]; }, 0);
    }
    CASE("sweeps.filter") {
        int columns = c.draw("columns", 2000, 40000), steps = c.draw("steps", 50, 250);
        auto in = floats((size_t)columns * steps);
        float *out = room<float>(in.size());
        c.time([&] { filter<<<blocks(columns, 64), 64>>>(in.gpu, out, columns, steps); });
        c.check(out, in.size(), [&](size_t i) {
            double y = 0;
            for (size_t k = i % columns; k <= i; k += columns)
                y = 0.5 * in.cpu[k] + 0.5 * y;
            return y;
        });
    }
    CASE("sweeps.subsequence") {
        int grid = c.draw("blocks", 100, 400), n = c.draw("n", 100, 256);
        auto a = make<unsigned char>(grid * n, [](size_t i) { return mix(i) % 4; }), b = make<unsigned char>(grid * n, [](size_t i) { return mix(i + 77) % 4; });
        int *out = room<int>(grid);
        c.time([&] { subsequence<<<grid, 256>>>(a.gpu, b.gpu, out, n); });
        c.check(out, grid, [&](size_t g) {
            std::vector<int> row(n + 1);
            for (int i = 0; i < n; i++)
                for (int j = 1, corner = 0; j <= n; j++) {
                    int up = row[j];
                    row[j] = a.cpu[g * n + i] == b.cpu[g * n + j - 1] ? corner + 1 : std::max(up, row[j - 1]);
                    corner = up;
                }
            return row[n];
        }, 0);
    }
    return failed;
}
