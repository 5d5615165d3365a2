k<<<1, 1>>>(&ar[1]); cudaDeviceSynchronize(); printf("%d %d\n", ar[0], ar[1]);
