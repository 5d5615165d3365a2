// Arguments in a __constant__ structure, and in an uploaded array of them.
struct job { const float *in; float *out; int rows, cols; };
__constant__ job whole;
__global__ void transpose(const job *jobs) {
    __shared__ float tile[32][33];
    const job &j = blockIdx.z ? jobs[0] : whole;
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32;
    for (int y = threadIdx.y; y < 32; y += 8)
        if (r + y < j.rows && c < j.cols)
            tile[y][threadIdx.x] = j.in[(r + y) * j.cols + c];
    __syncthreads();
    r += threadIdx.x, c = blockIdx.x * 32;
    for (int y = threadIdx.y; y < 32; y += 8)
        if (r < j.rows && c + y < j.cols)
            jobs[1].out[(c + y) * j.rows + r] = tile[threadIdx.x][y];
}
void solve(const float *in, float *out, int rows, int cols) {
    job jobs[2] = {{in, out, rows, cols}, {in, out, rows, cols}}, *device;
    cudaMalloc(&device, sizeof jobs);
    cudaMemcpy(device, jobs, sizeof jobs, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(whole, jobs, sizeof whole);
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(device);
    cudaFree(device);
}
