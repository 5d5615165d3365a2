int *d, h = 0;
cudaMalloc(&d, 4);
k<<<1, 1>>>(d);
cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
printf("%d %d %s %.1f %d\n", f(1), h, WHO, x, made.a);
int f(int a, int b) { return -1; }
