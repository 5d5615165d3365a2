__global__ void add(int *a, int by) { a[threadIdx.x] -= by; }
cudaGraphLaunch(instance, stream);
host[3]
