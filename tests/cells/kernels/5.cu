#include <cublas_v2.h>
cublasHandle_t handle;
cublasCreate(&handle);
float one = 1, *m;
cudaMallocManaged(&m, 12 * sizeof(float));
for (int i = 0; i < 4; i++) m[i] = m[4 + i] = i + 1;
cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, m, 2, m + 4, 2, &one, m + 8, 2);
cudaDeviceSynchronize();
printf("%.0f %.0f %.0f %.0f\n", m[8], m[9], m[10], m[11]);
