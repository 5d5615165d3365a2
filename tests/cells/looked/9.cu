outside<<<1, 1>>>(a);
e = cudaDeviceSynchronize();
if (e != cudaSuccess) printf("caught: %s\n", cudaGetErrorString(e));
