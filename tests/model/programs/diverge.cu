// Branches: by lane, by warp, eight ways, loops of uneven length, early exits.
#include "timed.h"
using namespace timed;

__host__ __device__ inline float one_way(float x, int way, int rounds) {
    for (int k = 0; k < rounds; k++)
        switch (way) {
        case 0: x = x * 0.5f + 1; break;
        case 1: x = x * 0.25f + 2; break;
        case 2: x = x * x * 0.125f + 0.1f; break;
        case 3: x = 1 / (x + 1); break;
        case 4: x = x * 0.75f - 1; break;
        case 5: x = sqrtf(x * x + 1) * 0.5f; break;
        case 6: x = fabsf(x) * 0.3f + 3; break;
        default: x = x * 0.9f + 0.01f * k; break;
        }
    return x;
}
__global__ void ways(const float *in, float *out, int n, int rounds, int shift) {
    int i = INDEX;
    if (i < n)
        out[i] = one_way(in[i], (i >> shift) & 7, rounds);
}
__global__ void uneven(const float *in, float *out, int n, unsigned mask) {
    int i = INDEX;
    if (i >= n)
        return;
    float x = in[i];
    for (unsigned k = 0, most = mix(i) & mask; k < most; k++)
        x = x * 0.99f + 0.5f;
    out[i] = x;
}
__global__ void find(const unsigned char *text, int n, int *found, int each) {
    int i = INDEX;
    if ((size_t)i * each >= n)
        return;
    int at = -1;
    for (int k = i * each; k < min((i + 1) * each, n); k++)
        if (text[k] == 'z') {
            at = k;
            break;
        }
    found[i] = at;
}
__global__ void some_lanes(const float *in, float *out, int n, int active, int rounds) {
    int i = INDEX;
    if (i >= n || (int)threadIdx.x % 32 >= active)
        return;
    float x = in[i];
    for (int k = 0; k < rounds; k++)
        x = x * 0.99f + 0.5f;
    out[i] = x;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    for (int shift : {0, 2, 5}) {
        std::string name = "diverge.ways_" + std::to_string(1 << shift);
        CASE(name.c_str()) {
            int n = c.draw("n", 200000, 900000), rounds = c.draw("rounds", 20, 120);
            auto in = floats(n);
            float *out = room<float>(n);
            c.time([&] { ways<<<blocks(n, 256), 256>>>(in.gpu, out, n, rounds, shift); });
            c.check(out, n, [&](size_t i) { return one_way(in.cpu[i], (i >> shift) & 7, rounds); });
        }
    }
    CASE("diverge.uneven") {
        int n = c.draw("n", 200000, 600000);
        unsigned mask = (1u << c.draw("log_most", 6, 10)) - 1;
        auto in = floats(n);
        float *out = room<float>(n);
        c.time([&] { uneven<<<blocks(n, 128), 128>>>(in.gpu, out, n, mask); });
        c.check(out, n, [&](size_t i) {
            float x = in.cpu[i];
            for (unsigned k = 0, most = mix(i) & mask; k < most; k++)
                x = x * 0.99f + 0.5f;
            return x;
        });
    }
    CASE("diverge.find") {
        int n = c.draw("n", 4000000, 8000000), each = c.draw("each", 16, 200), threads = (n + each - 1) / each;
        auto text = make<unsigned char>(n, [](size_t i) { return 'a' + mix(i) % 26; });
        int *found = room<int>(threads);
        c.time([&] { find<<<blocks(threads, 256), 256>>>(text.gpu, n, found, each); });
        c.check(found, threads, [&](size_t i) {
            for (int k = i * each; k < std::min((int)(i + 1) * each, n); k++)
                if (text.cpu[k] == 'z')
                    return k;
            return -1;
        }, 0);
    }
    CASE("diverge.some_lanes") {
        int n = c.draw("n", 300000, 900000), active = c.draw("active", 1, 16), rounds = c.draw("rounds", 100, 600);
        auto in = floats(n);
        float *out = room<float>(n);
        c.time([&] { some_lanes<<<blocks(n, 256), 256>>>(in.gpu, out, n, active, rounds); });
        c.check(out, n, [&](size_t i) {
            float x = in.cpu[i];
            for (int k = 0; k < rounds; k++)
                x = x * 0.99f + 0.5f;
            return (int)(i % 256 % 32) < active ? x : 0;
        });
    }
    return failed;
}
