Node n1;
Edge e1(&n1);
A second{{&node, 4}};
__global__ void k(int n) { printf("%d %d\n", even(n), odd(n)); }
k<<<1, 1>>>(5);
cudaDeviceSynchronize();
printf("%d %d %d\n", second.b.a->b.n, e1.get(), ta(4));
