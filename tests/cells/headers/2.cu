__global__ void twice(int *x) { *x *= 2; }
int *x; cudaMallocManaged(&x, sizeof *x); *x = n;
twice<<<1, 1>>>(x);
cudaDeviceSynchronize();
n = wcslen(L"warpbook"); // <wchar.h> came with <iostream>
*x + n
