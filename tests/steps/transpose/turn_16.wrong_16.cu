// says: softgpu counts 8 passes a load from shared memory in `turn_16`
__global__ void turn_16(float *out, const float *in, int n) {
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16, c = blockIdx.x * 16;
    tile[y][x] = in[(r + y) * n + c + x];
    __syncthreads();
    out[(c + y) * n + r + x] = tile[x][y];
}
