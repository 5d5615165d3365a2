cudaDeviceSynchronize(); kv<<<1, 1>>>(*pp); kv<<<dim3(1), 1, 0, 0>>>(-m1);
