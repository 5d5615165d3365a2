int helper(int x, int y = 3), other(int);
__global__ void k(int *);
namespace a { int f(int); }
__device__ int dev(int v);
template <class T> T twice(T v);
extern int var;
extern std::string word;
static int st(int);
int user(int x) { return helper(x) + a::f(x) + twice(x) + var + st(x) + word.size(); }
__global__ void kk(int *p) { *p = dev(5); }
user(20)
