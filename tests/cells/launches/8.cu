kt<5><<<1, 1>>>(&m1);
k2<<<1, 1>>>(&ar[2], 4);
if (zz) k2<<<1, 1>>>(&ar[3], 5);
cudaDeviceSynchronize();
printf("%d %d %d\n", m1, ar[2], ar[3]);
