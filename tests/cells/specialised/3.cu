int lamb() { apply<<<1, 1>>>([=] __device__ () { return f0(0); }, box); cudaDeviceSynchronize(); return *box; }
