cluster<<<1, 1>>>(x);
printf("%s\n", cudaGetErrorString(cudaGetLastError()));
