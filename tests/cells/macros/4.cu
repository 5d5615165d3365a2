// Macros that stand for the words before a declaration.
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
#define DEVICE __device__
#define KERNEL __global__ void
struct Pair {
    float x, y;
    HD Pair(float x, float y) : x(x), y(y) {}
};
HD inline float product(const Pair &p) { return p.x * p.y; }
namespace geo {
    HD float total(const Pair &p) { return p.x + p.y; }
}
DEVICE int launches;
KERNEL count() { launches++; }
#if !defined(SOMETHING)
__device__ int hits;
__global__ void hit() { hits++; }
#endif
