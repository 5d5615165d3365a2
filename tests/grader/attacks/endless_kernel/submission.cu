// A kernel that never ends.
__global__ void spin(volatile float *out) {
    while (out[0] != 12345.0f)
        ;
}
void solve(const float *in, float *out, int rows, int cols){
    spin<<<1, 32>>>(out);
}
