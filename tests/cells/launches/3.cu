cudaDeviceSynchronize(); m1
