int z = 3;
static int with_z(int n) { return n + z; }
int through(int n) { return with_z(n) + twice(n); }
namespace ns { struct Q { int a; int of(); }; int Q::of() { return a + through(a); } template <class T> T dup(T t) { return t + t; } }
__device__ int unit() { return 1; }
__global__ void count(int *n) { *n += unit(); }
int odd(int); int even(int n) { return n == 0 || odd(n - 1); }
int odd(int n) { return n != 0 && even(n - 1); }
int kept_default(int n, int m = 4) { return n * m; }
*(volatile int *)0 = z;
