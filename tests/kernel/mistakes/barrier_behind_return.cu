// note
// says: ]:8 in br_sum
// says: of br_sum(float*, float const*, int)::s) that no thread has written
// says: 24 of 256 threads had ended (they left in line 3) before the barrier in line 6
// says: Let all threads reach it: put the condition around what they load and store
// ----
__global__ void br_sum(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __shared__ float s[256];
    s[threadIdx.x] = in[i];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
float *bri, *bro; cudaMallocManaged(&bri, 4096); cudaMallocManaged(&bro, 4096);
br_sum<<<4, 256>>>(bro, bri, 1000);
cudaDeviceSynchronize();
