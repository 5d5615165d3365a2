int *p;
cudaMallocManaged(&p, 8);
k<<<1, 1>>>(p);
kk<<<1, 1>>>(p + 1);
cudaDeviceSynchronize();
printf("%d %d\n", p[0], p[1]);
helper(4) + early()
