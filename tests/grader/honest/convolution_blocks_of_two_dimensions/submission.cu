__global__ void conv2d(const float *image, const float *filter, float *result, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float acc = 0.0f;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            int yy = y + dy, xx = x + dx;
            if (yy >= 0 && yy < height && xx >= 0 && xx < width)
                acc += filter[(dy + 2) * 5 + dx + 2] * image[yy * width + xx];
        }
    }
    result[y * width + x] = acc;
}
void solve(const float *in, const float *weights, float *out, int rows, int cols) {
    dim3 block(16, 16);
    dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    conv2d<<<grid, block>>>(in, weights, out, rows, cols);
}
