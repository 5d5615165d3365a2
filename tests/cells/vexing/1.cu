#include <algorithm>
#include <cmath>
#include <vector>
int n = 3, m = 4, dims[2] = {2, 5};
enum { E = 2, F = 3 };
#define real float
#define SIX 6
int seven() { return 7; }
struct Config { static constexpr int size = 9; };
__global__ void k(int *x, int N, const float *M, int K) { x[0] = N + K; }
template <class T> __device__ T twice(T N) { return N * 2; }
__global__ void use(int *x, int a) { x[0] = twice(a); }
