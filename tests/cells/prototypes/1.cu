#include <string>
int helper(int x, int y) { return x * y; }
__global__ void k(int *p) { *p = 7; }
namespace a { int f(int v) { return v + 1; } }
__device__ int dev(int v) { return v + 2; }
template <class T> T twice(T v) { return v * 2; }
int var = 5;
std::string word = "word";
static int st(int x) { return x + 100; }
int early() { return helper(1, 1); }
