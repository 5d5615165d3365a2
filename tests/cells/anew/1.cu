#include <functional>
int scale = 1, err = 4;
int f(int a) { return a + 1; }
static int helper(int a) { return scale * f(a); }
struct S { int of(int a) { return f(a); } int later(int); };
int S::later(int a) { return f(a) + 100; }
template <class T> T t(T a) { return f(a); }
namespace ns { int g(int a) { return f(a); } int level = 5; int with_level() { return level; } }
auto lambda = [](int a) { return f(a); };
std::function<int(int)> kept = [](int a) { return f(a); };
int (*pointer)(int) = f;
__global__ void k(int *out) { *out = 1; }
int *out;
cudaMallocManaged(&out, 4);
int launch() { k<<<1, 1>>>(out); cudaDeviceSynchronize(); return *out; }
auto early() { return f(1) + err; }
extern "C" int index_of(int a) { return a; }
int use_c(int a) { return index_of(a); }
printf("%d %d %d %d %d %d %d %d %d\n", f(1), helper(1), S().of(1), S().later(1), t(1), ns::g(1), lambda(1), kept(1), launch());
const int fixed[] = {1, 5, 7};
const int *where() { return fixed; }
