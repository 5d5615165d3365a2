__global__ void inner(int *p) { *p = 1; }
__global__ void outer(int *p) { inner(p); }
