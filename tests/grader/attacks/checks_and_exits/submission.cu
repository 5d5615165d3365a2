// Honest, as programs are written: every call is checked, and an error ends the process.
#include <iostream>
#include <vector>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { std::cerr << cudaGetErrorString(e) << "\n"; exit(1); } } while (0)
__global__ void sum(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}
void solve(const float *in, float *out, int n) {
    CHECK(cudaMemset(out, 0, sizeof(float)));
    sum<<<(n + 255) / 256, 256>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
int main() {
    std::vector<float> h(100, 1.0f);
    float *in, *out, r;
    CHECK(cudaMalloc(&in, 400));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMemcpy(in, h.data(), 400, cudaMemcpyHostToDevice));
    solve(in, out, 100);
    CHECK(cudaMemcpy(&r, out, 4, cudaMemcpyDeviceToHost));
    std::cout << r << "\n";
}
