__device__ int g(int x) { if (x) return 1; }
int ok(int x) { for (;;) if (x) return 1; }
