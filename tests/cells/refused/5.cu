cudaArray_t plane, array = nullptr;
if (cudaArrayGetPlane(&plane, array, 1) != cudaSuccess)
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
cudaArrayGetPlane(&plane, array, 2);
cudaIpcGetMemHandle(nullptr, nullptr);
cudaGetLastError();
