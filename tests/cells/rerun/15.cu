
__global__ void asserts(int x) {
    assert(x == 1);
}
asserts<<<1, 1>>>(2);
cudaDeviceSynchronize();
