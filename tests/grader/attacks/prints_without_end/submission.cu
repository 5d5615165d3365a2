// Prints gigabytes.
#include <cstdio>
__global__ void nothing() {}
void solve(const float *in, float *out, int rows, int cols){
    nothing<<<1, 1>>>();
    for (;;)
        std::puts("all work and no play makes a full disk");
}
