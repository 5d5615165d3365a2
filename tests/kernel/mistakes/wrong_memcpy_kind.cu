// says: line 3
// says: wkh
// says: the direction of the copy says it is
// ----
float *wk; cudaMalloc(&wk, 64 * sizeof(float));
float wkh[64] = {};
cudaMemcpy(wkh, wk, sizeof wkh, cudaMemcpyHostToDevice);
