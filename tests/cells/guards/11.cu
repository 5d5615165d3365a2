int *d;
cudaMalloc(&d, 4096);
cudaFree(d);
d[1] = 5;
