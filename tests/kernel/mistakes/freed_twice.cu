// says: line 3
// says: was freed before: one cudaFree is enough
// ----
float *ft; cudaMalloc(&ft, 64);
cudaFree(ft);
cudaFree(ft);
