#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>
struct P { int x; };
__host__ __device__ bool operator<(P a, P b) { return a.x < b.x; }
__host__ __device__ bool operator==(P a, P b) { return a.x == b.x; }
constexpr int LIMIT = 1;
int f(int x = LIMIT) { return x; }
__global__ void kd(int *o, int x = 1) { *o = x; }
auto lam = [](int x) { return x + LIMIT; };
struct Fun { int operator()(int x) const { return x + LIMIT; } };
struct Shape { virtual int area() const = 0; virtual ~Shape() {} };
struct Sq : Shape { int area() const override { return LIMIT; } };
struct V { int x = 1; virtual int get() const; };
int V::get() const { return 1; }
struct C { static int count; };
int C::count = 5;
__device__ int df(int x) { return x; }
template <class F> __global__ void app(F g, int *o) { *o = g(3); }
int *o; cudaMallocManaged(&o, 4);
int plain(int x) { return x + 1; }
int a[2] = {1, 2}; 
int &ra = a[0];
