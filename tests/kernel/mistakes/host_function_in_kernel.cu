// says: line 2
// says: hf_half runs on the host only: put __host__ __device__ before it
// ----
float hf_half(float x) { return x / 2; }
__global__ void hf(float *a) { a[threadIdx.x] = hf_half(a[threadIdx.x]); }
