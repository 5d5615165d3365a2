// n bodies: tiles of shared memory, and the same from the caches.
#include "timed.h"
using namespace timed;

__device__ float3 pull(float3 a, float4 p, float4 q) {
    float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r = rsqrtf(x * x + y * y + z * z + 0.01f), f = q.w * r * r * r;
    return make_float3(a.x + x * f, a.y + y * f, a.z + z * f);
}

__global__ void tiles(const float4 *bodies, float4 *out, int n) {
    __shared__ float4 tile[128];
    int i = INDEX;
    float4 p = bodies[i];
    float3 a = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += 128) {
        tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 128; k++)
            a = pull(a, p, tile[k]);
        __syncthreads();
    }
    out[i] = make_float4(a.x, a.y, a.z, 0);
}

__global__ void plain(const float4 *bodies, float4 *out, int n) {
    int i = INDEX;
    float4 p = bodies[i];
    float3 a = make_float3(0, 0, 0);
    for (int k = 0; k < n; k++)
        a = pull(a, p, bodies[k]);
    out[i] = make_float4(a.x, a.y, a.z, 0);
}

template <class K> void bodies(one_case &c, K kernel) {
    int n = 128 * c.draw("blocks", 40, 140);
    auto in = floats(4 * n);
    float4 *out = room<float4>(n);
    c.time([&] { kernel<<<n / 128, 128>>>((const float4 *)in.gpu, out, n); });
    auto got = back((float *)out, 4 * n);
    for (int i = 0; i < n; i += n / 3) {
        double a = 0;
        for (int k = 0; k < n; k++) {
            float *p = &in.cpu[4 * i], *q = &in.cpu[4 * k];
            double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], s = x * x + y * y + z * z + 0.01;
            a += x * q[3] / (s * sqrt(s));
        }
        c.expect("a force", got[4 * i], a, 2e-2);
    }
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("nbody.tiles") bodies(c, tiles);
    CASE("nbody.plain") bodies(c, plain);
    return failed;
}
