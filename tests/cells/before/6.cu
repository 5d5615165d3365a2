k<<<1, 1>>>(p);
cudaDeviceSynchronize();
twice(1) + quad(1) + *p
