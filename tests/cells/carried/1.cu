#include <vector>
__device__ int f(int x) { return x + 1; }
__constant__ int table[2] = {1, 2};
constexpr int N = 3;
template <class T> T twice(T x) { return x + x; }
struct Box { int get() const { return 5; } };
__global__ void k(int *out) { *out = f(1) * 100 + table[1]; }
int *out;
cudaMallocManaged(&out, 4);
int launch() { k<<<1, 1>>>(out); cudaDeviceSynchronize(); return *out; }
int size() { std::vector<int> v(N); return (int)v.size(); }
int counted(int x) { static int n; n += twice(x); return n; }
int doubled(int x) { return twice(x); }
int boxed() { Box b; return b.get(); }
auto deduced(int x) { return twice(x) + 1; }
int uses_deduced(int f) { return deduced(f); }
auto plain = [](int x) { return x + 1; };
auto outer = [](int x) { return plain(x) * 10; };
int lambdas(int a) { return plain(a); }
int nested() { return outer(1); }
struct Made { int a, b; Made(int x); ~Made(); };
int gone = 0;
Made::Made(int x) : a(x), b(0) {}
Made::~Made() { gone = a; }
int made() { return Made(3).a; }
thread_local int own = 5;
int owned() { return own; }
printf("%d %d %d %d %d %d\n", launch(), size(), counted(1), doubled(1), boxed(), uses_deduced(1));
