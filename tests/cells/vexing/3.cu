printf("%zu %zu %zu %zu %zu %zu %zu\n", a.size(), b.size(), c.size(), d.size(), e.size(), f.size(), g.size());
printf("%d %d %d %d %d %d %.1f\n", a[1], b[1], c[1], d[1], e[1], f[1], r);
real sum(real *x, real y) { return *x + y; }
int *x;
cudaMallocManaged(&x, N * sizeof(int));
k<<<1, 1>>>(x, N, nullptr, M);
cudaDeviceSynchronize();
__global__ void again(int *x) { x[1] = twice(N); }
again<<<1, 1>>>(x);
cudaDeviceSynchronize();
real z = 1;
sum(&z, 2) + x[0] + x[1]
