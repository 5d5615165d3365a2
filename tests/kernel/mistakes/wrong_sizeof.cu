// says: line 3
// says: 3000 beyond its end; count in bytes, n * sizeof(type)
// ----
float *ws; cudaMalloc(&ws, 1000);
float wsh[1000] = {};
cudaMemcpy(ws, wsh, 1000 * sizeof(float), cudaMemcpyHostToDevice);
