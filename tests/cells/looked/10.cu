outside<<<1, 1>>>(a);
if (cudaDeviceSynchronize() != cudaSuccess) printf("caught\n");
