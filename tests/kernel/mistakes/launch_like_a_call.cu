// says: line 3
// says: <<<blocks, threads>>>
// ----
__global__ void lc(float *a) { a[0] = 1; }
float *lcp; cudaMallocManaged(&lcp, 1024);
lc(lcp);
