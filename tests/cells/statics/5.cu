template <class T> __device__ int next(T) { static int n; return atomicAdd(&n, 1); }
__device__ int tile() { static __shared__ int n; n = 3; return n; }
struct Dev { __device__ int next() { static int n; return n++; } };
template <class T> __device__ T kept;
__global__ void k() { kept<int>++; printf("%d %d %d\n", next(1), tile(), Dev().next()); }
k<<<1, 1>>>();
