cudaArray_t array;
if (cudaMallocArray(&array, nullptr, 1) != cudaSuccess)
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
cudaMallocArray(&array, nullptr, 2);
cudaIpcGetMemHandle(nullptr, nullptr);
cudaGetLastError();
