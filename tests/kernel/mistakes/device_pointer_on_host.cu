// says: line 2
// says: dp[0] = 1;
// says: copy with cudaMemcpy(), or take cudaMallocManaged()
// ----
float *dp; cudaMalloc(&dp, 256 * sizeof(float));
dp[0] = 1;
