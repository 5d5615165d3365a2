#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>
int a = 6, b = 4, n = 8, ints[5] = {3, 1, 4, 1, 5}, *p = ints;
double x = 2.5, y = 0.5;
float f = 1.5f;
char c = 'k';
bool yes = true, no = false;
std::string word = "warp";
std::vector<int> v = {5, 2, 9};
std::map<std::string, int> ages = {{"ann", 30}, {"bob", 25}};
struct Point {
    int x = 1, y = 2;
    int sum() const { return x + y; }
};
Point pt;
int square(int k) { return k * k; }
template <class T> T twice(T t) { return t + t; }
void hello() { printf("hello\n"); }
__global__ void fill(int *out, int value) { out[threadIdx.x + blockIdx.x * blockDim.x] = value; }
__global__ void inc(int *out) { *out += 1; }
__global__ void say() { printf("thread %d\n", threadIdx.x); }
__global__ void add(const float *l, const float *r, float *sum, int count) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < count) sum[i] = l[i] + r[i];
}
template <int N> __global__ void put(int *out) { *out = N; }
__device__ int twice_on_device(int k) { return 2 * k; }
__global__ void call(int *out, int k) { *out = twice_on_device(k); }
__managed__ int m, ma[8];
__device__ int counter;
int *d = nullptr;
float *ua = nullptr, *ub = nullptr, *us = nullptr;
void fresh() {
    a = 6, b = 4, n = 8, x = 2.5, y = 0.5, f = 1.5f, c = 'k', yes = true, no = false;
    ints[0] = 3, ints[1] = 1, ints[2] = 4, ints[3] = 1, ints[4] = 5, p = ints;
    word = "warp", v = {5, 2, 9}, ages = {{"ann", 30}, {"bob", 25}}, pt = Point();
    if (!d) {
        cudaMalloc(&d, 8 * sizeof(int));
        cudaMallocManaged(&ua, 32);
        cudaMallocManaged(&ub, 32);
        cudaMallocManaged(&us, 32);
    }
    cudaDeviceSynchronize();
    m = 0;
    for (int i = 0; i < 8; i++) ma[i] = 0, ua[i] = i, ub[i] = 10, us[i] = 0;
    cudaMemset(d, 0, 8 * sizeof(int));
    std::cout << std::dec;
    std::cout.precision(6);
    std::cout.unsetf(std::ios::floatfield | std::ios::boolalpha);
}
