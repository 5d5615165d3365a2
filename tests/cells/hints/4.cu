std::vector<int> v;
auto start = std::chrono::steady_clock::now();
thrust::device_vector<float> d(3);
cublasHandle_t handle;
