__managed__ int m1, ar[4]; int *pp = &m1;
__global__ void k(int *p) { *p += 7; }
__global__ void k2(int *p, int n) { *p = n; }
__global__ void kv(int n) { printf("kv %d\n", n); }
template <int N> __global__ void kt(int *p) { *p = N; }
