// Lanes of one warp inside different functions at the same time: each waits there for the others,
// so registers of all of them live at once.
#include "check.h"

__device__ __noinline__ double wide(double x, int rounds) {
    double a = x, b = x * 2, c = x * 3;
    for (int i = 0; i < rounds; i++) {
        bool odd = a > b + i, more = b > c;
        __syncwarp();
        a = odd ? a + b : a * 1.5;
        b = more ? b - c : b + 1;
        c += a - b;
    }
    return a + b + c;
}
__device__ __noinline__ double narrow(double x, int rounds) {
    int a = (int)x, b = a * 7 + 1, c = a ^ b, d = c + 5;
    for (int i = 0; i < rounds; i++) {
        bool odd = (a + i) & 1, more = b % 3 == 1;
        __syncwarp();
        a = odd ? a + b : a * 3;
        b = more ? b - c : b + 1;
        c += a - b;
        d ^= c;
    }
    return a + 2.0 * b + 3.0 * c + d;
}

static double host_wide(double x, int rounds) {
    double a = x, b = x * 2, c = x * 3;
    for (int i = 0; i < rounds; i++) {
        bool odd = a > b + i, more = b > c;
        a = odd ? a + b : a * 1.5;
        b = more ? b - c : b + 1;
        c += a - b;
    }
    return a + b + c;
}
static double host_narrow(double x, int rounds) {
    unsigned a = (int)x, b = a * 7 + 1, c = a ^ b, d = c + 5;
    for (int i = 0; i < rounds; i++) {
        bool odd = (a + i) & 1, more = (int)b % 3 == 1;
        a = odd ? a + b : a * 3;
        b = more ? b - c : b + 1;
        c += a - b;
        d ^= c;
    }
    return (int)a + 2.0 * (int)b + 3.0 * (int)c + (int)d;
}

typedef double function(double, int);
__device__ function *const table[2] = {wide, narrow};

__global__ void by_pointer(double *out, int rounds) {
    int t = threadIdx.x;
    out[t] = table[(t / 3) & 1](t, rounds);
}
__global__ void by_branch(double *out, int rounds) {
    int t = threadIdx.x;
    if ((t / 3) & 1)
        out[t] = narrow(t, rounds);
    else
        out[t] = wide(t, rounds);
}

int main() {
    double *out = device<double>(64);
    for (int way = 0; way < 2; way++) {
        way ? by_branch<<<1, 64>>>(out, 9) : by_pointer<<<1, 64>>>(out, 9);
        LAUNCHED;
        auto got = fetch(out, 64);
        bool ok = true;
        for (int t = 0; t < 64; t++) {
            double want = (t / 3) & 1 ? host_narrow(t, 9) : host_wide(t, 9);
            if (got[t] != want && ok)
                printf("%d: %g, not %g\n", t, got[t], want);
            ok &= got[t] == want;
        }
        say(way ? "by branch" : "by pointer", ok);
    }
}
