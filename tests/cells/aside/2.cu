index++; y1 = 7;
int local(int n) { return index * n; }
template <class T> T scaled(T x) { return x * gamma; }
auto copied = [=](int x) { return x + index + yn[1]; };
auto shared = [&] { return index; };
auto listed = [index, &y1] { return index + y1; };
auto &same = max; auto where = &max; ++*where; same++;
__global__ void relu(float *x) { x[threadIdx.x] = max(x[threadIdx.x], 0.0f); }
__global__ void constant(float *x) { x[0] = rand; }
float *x;
cudaMallocManaged(&x, 8); x[0] = -2; x[1] = 2;
relu<<<1, 2>>>(x);
cudaDeviceSynchronize();
printf("%d %.1f %.1f %d %.1f %d %.0f %.0f\n", local(2), scaled(3.0), copied(1), shared(), listed(), max, x[0], x[1]);
