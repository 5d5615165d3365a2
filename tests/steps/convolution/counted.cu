// Kernels of the lab's predictions. Numbers without a counter are printed. A test compares them with steps.json.
#include <cstdio>

__global__ void count_reads(int *reads, int rows, int cols) {
    int c = threadIdx.x, r = blockIdx.x;
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++)
            if (r + i >= 0 && r + i < rows && c + j >= 0 && c + j < cols) atomicAdd(&reads[(r + i) * cols + c + j], 1);
}

__global__ void fetch(const float *in, float *out, int r, int c, int cols) {
    out[0] = in[r * cols + c - 2];
}

// Marks the pixels, or sectors of 8, that a block's threads touch within a reach.
__global__ void touch(int *touched, int reach_x, int reach_y, int cols, int size) {
    int c = 64 + threadIdx.x, r = 64 + threadIdx.y;
    for (int i = -reach_y; i <= reach_y; i++)
        for (int j = -reach_x; j <= reach_x; j++) touched[((r + i) * cols + c + j) / size] = 1;
}

__global__ void constants(int *turns) {
    unsigned same = __match_any_sync(0xffffffff, threadIdx.x % 5);
    if (__ffs(same) - 1 == (int)threadIdx.x) atomicAdd(turns, 1);
}

__global__ void halo_in_banks(float *out) {
    __shared__ float tile[20][20];
    int t = threadIdx.y * 16 + threadIdx.x;
    for (int i = t; i < 400; i += 256) (&tile[0][0])[i] = i;
    __syncthreads();
    out[t] = tile[threadIdx.y][threadIdx.x];
}

__global__ void loads_for_four(float *out) {
    __shared__ float tile[8][36];
    for (int i = threadIdx.x; i < 8 * 36; i += 32) (&tile[0][0])[i] = i;
    __syncwarp();
    float sums[4] = {0};
#pragma unroll
    for (int y = 0; y < 8; y++) {
        float row[5];
#pragma unroll
        for (int j = 0; j < 5; j++) row[j] = tile[y][threadIdx.x + j];
#pragma unroll
        for (int p = 0; p < 4; p++)
            if (y - p >= 0 && y - p < 5)
#pragma unroll
                for (int j = 0; j < 5; j++) sums[p] += row[j] * (y - p + j);
    }
    for (int p = 0; p < 4; p++) out[p * 32 + threadIdx.x] = sums[p];
}

static int sum_of(const int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    return sum;
}

int main() {
    const int side = 256;
    int *marks;
    float *image, *out;
    cudaMallocManaged(&marks, side * side * sizeof(int));
    cudaMallocManaged(&image, side * side * sizeof(float));
    cudaMallocManaged(&out, side * side * sizeof(float));
    cudaMemset(marks, 0, side * side * sizeof(int));
    count_reads<<<100, 100>>>(marks, 100, 100);
    cudaDeviceSynchronize();
    printf("times_read %d\n", marks[50 * 100 + 50]);
    for (int i = 0; i < side * side; i++) image[i] = i % 100;
    fetch<<<1, 1>>>(image, out, 7, 1, 100);
    cudaDeviceSynchronize();
    printf("wraps_to %d\n", (int)out[0]);
    cudaMemset(marks, 0, side * side * sizeof(int));
    touch<<<1, dim3(16, 16)>>>(marks, 3, 3, side, 1);
    cudaDeviceSynchronize();
    printf("pixels_of_tile %d\n", sum_of(marks, side * side));
    cudaMemset(marks, 0, side * side * sizeof(int));
    constants<<<1, 32>>>(marks);
    cudaDeviceSynchronize();
    printf("turns_of_constant %d\n", marks[0]);
    cudaMemset(marks, 0, side * side * sizeof(int));
    touch<<<1, dim3(64, 1)>>>(marks, 2, 0, side, 8);
    cudaDeviceSynchronize();
    printf("sectors_of_row %d\n", sum_of(marks, side * side / 8));
    halo_in_banks<<<1, dim3(16, 16)>>>(out);
    loads_for_four<<<1, 32>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
