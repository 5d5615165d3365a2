// says: line 3
// says: put __global__ before ng
// ----
void ng(float *a) { a[threadIdx.x] = 1; }
float *ngp; cudaMallocManaged(&ngp, 1024);
ng<<<1, 32>>>(ngp);
