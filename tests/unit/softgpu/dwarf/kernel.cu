#include <cuda_fp16.h>
struct P { float x; int n; };
__constant__ float coef[4];
__device__ float twice(float a) { float b = a * 2; return b + 1; }
__global__ void k(const float *in, float *out, int n) {
  __shared__ float tile[8][4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = in[i];
  double d = mine * 2.0;
  unsigned u = i;
  bool odd = i & 1;
  half h = __float2half(mine);
  float4 q = make_float4(mine, 1, 2, i);
  P p; p.x = mine; p.n = i;
  float acc[4];
  for (int j = 0; j < 4; j++) acc[j] = mine * j;
  const float *pp = in + i;
  tile[threadIdx.x / 4 % 8][threadIdx.x % 4] = mine;
  __syncthreads();
  for (int s = 16; s > 0; s /= 2) {
    if (threadIdx.x < s) mine += twice(tile[s/4%8][0]);
    __syncthreads();
  }
  long long ll = i; short sh = i; char c = i;
  if (i < n) out[i] = mine + d + u + odd + (float)h + q.w + p.x + p.n + acc[i % 4] + *pp + coef[0]+ll+sh+c;
}
