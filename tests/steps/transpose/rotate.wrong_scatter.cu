// says: sectors a store in `rotate`; the step asks for at most 5
__global__ void rotate(float *out, const float *in, int rows, int cols) {
    __shared__ float tile[32][32 + 1];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 32, c = blockIdx.x * 32;
    if (r + y < rows && c + x < cols) tile[y][x] = in[(size_t)(r + y) * cols + c + x];
    __syncthreads();
    if (r + y < rows && c + x < cols) out[(size_t)(c + x) * rows + rows - 1 - (r + y)] = tile[y][x];
}
