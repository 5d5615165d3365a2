__global__ void both(float *out) { *out = product(Pair(3, 4)) + geo::total(Pair(5, 6)); }
float *out, got;
cudaMalloc(&out, 4);
both<<<1, 1>>>(out);
count<<<1, 1>>>();
count<<<1, 1>>>();
cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
int launched;
cudaMemcpyFromSymbol(&launched, launches, 4);
printf("%.0f %d %.0f\n", got, launched, product(Pair(2, 2)));
