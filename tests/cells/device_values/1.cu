#include <cstdio>
struct Pair { int x, y; };
struct Made { int x; __host__ __device__ constexpr Made() : x(1) {} };
__device__ int counter;
__constant__ float cc[2] = {1.5f, 2.5f};
__device__ Pair pair;
__device__ Made made;
__device__ char text[8] = "abc";
__managed__ int shared = 4;
namespace space { __device__ double in = 2.5; }
__global__ void inc() { atomicAdd(&counter, 1); pair.y = 7; made.x = 3; shared = 9; space::in = 4.5; }
inc<<<2, 32>>>();
counter
