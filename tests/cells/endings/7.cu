check(cudaMalloc(&device, 4));
if (cudaMalloc(&device, (size_t)1 << 50) != cudaSuccess)
    throw std::runtime_error("out of memory");
