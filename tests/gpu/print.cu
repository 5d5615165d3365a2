// Times kernels that print: so many blocks and threads, and so many lanes of each warp that
// print so many lines of so many numbers. A line of JSON a case goes to stderr, what the kernels
// print to stdout. Build: nvcc -O2 -arch=native. `print`: the cases that runtime/model/time.c has
// its figures from; `print --drawn SEED`: forty others; `print --once ...`: one launch of such a
// case. Kept in results/micro; tests/model/test_print.py holds the model to it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
struct shape {
    int numbers, blocks, threads, lanes, lines;
};
__global__ void print(shape s, bool ask) {
    if ((int)threadIdx.x % 32 >= s.lanes || !ask)
        return;
    for (int k = 0; k < s.lines; k++) {
        if (s.numbers == 0)
            printf("a line without a number\n");
        if (s.numbers == 1)
            printf("thread %d\n", threadIdx.x);
        if (s.numbers == 4)
            printf("block %d thread %d line %d: %f\n", blockIdx.x, threadIdx.x, k, 0.5 * k);
        if (s.numbers == 8)
            printf("%d %d %d %d %f %f %f %f\n", blockIdx.x, threadIdx.x, k, k + 1, 0.5 * k, 1. * k,
                   2. * k, 3. * k);
    }
}
static float median_us(shape s, bool ask) {
    cudaEvent_t b, e;
    std::vector<float> all;
    cudaEventCreate(&b), cudaEventCreate(&e);
    for (int r = 0; r < 12; r++) {
        float ms;
        cudaDeviceSynchronize(); // what was printed has been written
        cudaEventRecord(b);
        print<<<s.blocks, s.threads>>>(s, ask);
        cudaEventRecord(e);
        cudaDeviceSynchronize();
        cudaEventElapsedTime(&ms, b, e);
        all.push_back(ms * 1e3f);
    }
    std::sort(all.begin(), all.end());
    return all[6];
}
static void measure(shape s) {
    float prints = median_us(s, true), silent = median_us(s, false);
    cudaError_t wrong = cudaGetLastError();
    if (wrong != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(wrong)), exit(1);
    fprintf(stderr,
            "{\"numbers\": %d, \"blocks\": %d, \"threads\": %d, \"lanes\": %d, \"lines\": %d, "
            "\"us\": %.2f, \"silent_us\": %.2f}\n",
            s.numbers, s.blocks, s.threads, s.lanes, s.lines, prints, silent);
}
static int drawn(unsigned *seed, int most) { // 1 .. most, small ones as often as large ones
    int of = 1 + rand_r(seed) % most;
    return 1 + rand_r(seed) % of;
}
int main(int argc, char **argv) {
    static const int numbers[] = {0, 1, 4, 8},
                     chosen[][4] = {
                         {1, 32, 1, 1},     {1, 32, 2, 1},    {1, 32, 8, 1},     {1, 32, 32, 1},
                         {1, 32, 1, 4},     {1, 32, 1, 16},   {1, 32, 32, 4},    {1, 32, 32, 16},
                         {1, 64, 32, 1},    {1, 256, 1, 1},   {1, 256, 32, 1},   {1, 1024, 1, 1},
                         {1, 1024, 32, 1},  {2, 32, 1, 1},    {16, 32, 1, 1},    {16, 32, 32, 1},
                         {132, 32, 1, 1},   {132, 32, 32, 1}, {132, 256, 1, 1},  {132, 256, 32, 1},
                         {132, 256, 32, 2}, {1024, 32, 1, 1}, {1024, 128, 1, 1}, {1024, 128, 32, 1},
                         {4096, 32, 1, 1}};
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20);
    if (argc == 7 && !strcmp(argv[1], "--once")) {
        shape s = {atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), atoi(argv[6])};
        print<<<s.blocks, s.threads>>>(s, true);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    if (argc == 3 && !strcmp(argv[1], "--drawn")) {
        unsigned seed = (unsigned)atoi(argv[2]);
        for (int k = 0; k < 40; k++) {
            int n = numbers[rand_r(&seed) % 4], blocks = drawn(&seed, 600);
            int threads = 32 * drawn(&seed, 32), lanes = drawn(&seed, 32);
            measure({n, blocks, threads, lanes, drawn(&seed, 8)});
        }
        return 0;
    }
    for (auto &c : chosen)
        for (int n : numbers)
            measure({n, c[0], c[1], c[2], c[3]});
}
