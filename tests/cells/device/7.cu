void *huge;
if (cudaMalloc(&huge, 1ull << 60) != cudaSuccess) cudaGetLastError();
if (cudaMalloc(&huge, 1ull << 60) != cudaSuccess) printf("no room\n");
cudaMalloc(&huge, 1ull << 60);
