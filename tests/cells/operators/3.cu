__global__ void add(float3 *p) { p[0] = p[0] + p[0] * 2 + make_float3(0, 0, gridDim == dim3(1)); }
float3 *p;
cudaMallocManaged(&p, sizeof *p);
*p = make_float3(1, 2, 3) + make_float3(1, 1, 1);
add<<<1, 1>>>(p);
cudaDeviceSynchronize();
