COUNTED(two, 4, 5)
__global__ void uses(float *x) { *x = half(7) + of_half; }
squares<<<1, 4>>>(d);
uses<<<1, 1>>>(d);
cudaDeviceSynchronize();
printf("%d %s %d %zu %g %g\n", var1, name_one, values_two[1], v.size(), d[3], d[0]);
next_number(10)
