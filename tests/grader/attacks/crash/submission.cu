// Writes to address 0.
__global__ void nothing() {}
void solve(const float *in, float *out, int rows, int cols){
    nothing<<<1, 1>>>();
    *(volatile int *)nullptr = 1;
}
