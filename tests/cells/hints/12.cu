int *words = malloc(40);
__global__ void old(int *p) { p[threadIDx.x] = 1; }
__global__ void plain(int *p) {}
plain(nullptr);
