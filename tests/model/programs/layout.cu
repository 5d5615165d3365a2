// Structures in an array beside arrays in a structure.
#include "timed.h"
using namespace timed;

struct three { float x, y, z; };
struct alignas(16) four { float x, y, z, w; };
struct seven { float x, y, z, u, v, w, mass; };

template <class S> __global__ void move(const S *in, S *out, int n, float dt) {
    int i = INDEX;
    if (i < n) {
        S s = in[i];
        s.x += dt, s.y += dt, s.z += dt;
        out[i] = s;
    }
}
template <class S> __global__ void one_field(const S *in, float *out, int n) {
    int i = INDEX;
    if (i < n)
        out[i] = in[i].y * 2;
}
__global__ void arrays(const float *in, float *out, int n, float dt) {
    int i = INDEX;
    if (i < n)
        for (int k = 0; k < 7; k++)
            out[k * n + i] = in[k * n + i] + (k < 3 ? dt : 0);
}

template <class S> void whole(one_case &c) {
    int n = c.draw("n", 500000, 2000000), k = sizeof(S) / 4;
    auto in = floats((size_t)n * k);
    float *out = room<float>(in.size());
    c.time([&] { move<<<blocks(n, 256), 256>>>((S *)in.gpu, (S *)out, n, 2.0f); });
    c.check(out, in.size(), [&](size_t i) { return in.cpu[i] + (i % k < 3 ? 2 : 0); });
}
template <class S> void field(one_case &c) {
    int n = c.draw("n", 1000000, 3000000), k = sizeof(S) / 4;
    auto in = floats((size_t)n * k);
    float *out = room<float>(n);
    c.time([&] { one_field<<<blocks(n, 128), 128>>>((S *)in.gpu, out, n); });
    c.check(out, n, [&](size_t i) { return in.cpu[i * k + 1] * 2; });
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("layout.three") whole<three>(c);
    CASE("layout.four") whole<four>(c);
    CASE("layout.seven") whole<seven>(c);
    CASE("layout.field_of_four") field<four>(c);
    CASE("layout.field_of_seven") field<seven>(c);
    CASE("layout.arrays") {
        int n = c.draw("n", 500000, 2000000);
        auto in = floats(7 * (size_t)n);
        float *out = room<float>(in.size());
        c.time([&] { arrays<<<blocks(n, 256), 256>>>(in.gpu, out, n, 2.0f); });
        c.check(out, in.size(), [&](size_t i) { return in.cpu[i] + (i < 3 * (size_t)n ? 2 : 0); });
    }
    return failed;
}
