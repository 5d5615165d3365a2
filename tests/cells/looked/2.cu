cudaError_t e = cudaSetDevice(5);
if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
int *p;
if (cudaMalloc(&p, 1ull << 60) != cudaSuccess) printf("too large\n");
CHECK(cudaSetDevice(6));
e = choose(7);
CHECK(choose(8));
if (from_header(9)) printf("header\n");
fill<<<1, 4096>>>(a);
e = cudaGetLastError();
printf("%s\n", cudaGetErrorName(e));
fill<<<1, 4096>>>(a);
LAST_ERROR();
fill<<<1, 4096>>>(a);
if (cudaPeekAtLastError() != cudaSuccess) (void)cudaGetLastError();
cudaSetDevice(5) == cudaErrorInvalidDevice
