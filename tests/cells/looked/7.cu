fill<<<1, 4096>>>(a);
e = cudaDeviceSynchronize();
