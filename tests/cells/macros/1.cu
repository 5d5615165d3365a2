#include <vector>
#define CAT(a, b) a##b
#define STR(x) #x
#define DECLARE_VECTOR(T, v) std::vector<T> v
#define DEFINE_KERNEL(name, T, expr) \
    __global__ void name(T *x) { int i = threadIdx.x; x[i] = expr; }
#define COUNTED(n, ...) const char *CAT(name_, n) = STR(n); int CAT(values_, n)[] = {__VA_ARGS__};
#define SWAP(a, b, T) T t = a; a = b; b = t
#define NEXT(n) template <class T> T CAT(next_, n)(T x) { static int k; return x + ++k; }
#define ON_DEVICE(f, e) __device__ float f(float x) { return e; } __device__ int CAT(of_, f) = 1;
int CAT(var, 1) = 5;
DECLARE_VECTOR(int, v);
DEFINE_KERNEL(squares, float, i * i)
COUNTED(one, 1, 2, 3)
NEXT(number)
ON_DEVICE(half, x / 2) // two things
v.push_back(var1);
float *d;
cudaMallocManaged(&d, 16);
squares<<<1, 4>>>(d);
cudaDeviceSynchronize();
SWAP(values_one[0], var1, int);
printf("%d %s %d %zu %g\n", var1, name_one, values_one[0], v.size(), d[3]);
next_number(10)
