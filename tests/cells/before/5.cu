int r = twice(5), r4 = quad(5);
int *p;
cudaMallocManaged(&p, 4);
k<<<1, 1>>>(p);
cudaDeviceSynchronize();
int k1 = *p;
int calls(int x) { return twice(x) + 1; }
int u1 = calls(1);
int twice(int x) { return 3 * x; }
__global__ void k(int *p) { *p = 2; }
k<<<1, 1>>>(p);
cudaDeviceSynchronize();
printf("%d %d %d %d %d %d %d %d\n", r, r4, u1, k1, *p, twice(5), quad(5), calls(1));
