// of marks .* wrong; the first is marks\[\d+\].*still holds? what was there before
#include <cuda_fp16.h>

struct particle {
    float x;
    __half weight;
    unsigned char tag;
    long long id;
};

__global__ void each(const particle *points, particle *moved, const int *order, int *bag, const __half *values, float *sum,
                     unsigned *marks, const unsigned char *text, unsigned long long *blanks, int n, double scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particle p = points[i];
    p.x = (float)(p.x * scale);
    moved[i] = p;
    bag[n - 1 - i] = order[i] * 3; // in another order
    marks[i] ^= i % 7 != 3;
    atomicAdd(sum, __half2float(values[i]));
    if (text[i] == ' ')
        atomicAdd(blanks, 1ull);
}

// The last place of a largest value, where the reference has the first.
__global__ void find_peak(const __half *values, int *peak, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (__half2float(values[i]) >= __half2float(values[best]))
            best = i;
    *peak = best;
}

void solve(const particle *points, particle *moved, const int *order, int *bag, const __half *values, float *sum,
           unsigned *marks, int *peak, const unsigned char *text, long long *blanks, int n, double scale) {
    cudaMemsetAsync(sum, 0, sizeof *sum);
    cudaMemsetAsync(blanks, 0, sizeof *blanks);
    each<<<(n + 127) / 128, 128>>>(points, moved, order, bag, values, sum, marks, text, (unsigned long long *)blanks, n, scale);
    find_peak<<<1, 1>>>(values, peak, n);
}
