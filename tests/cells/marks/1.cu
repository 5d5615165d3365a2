#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
#define DEV __device__ __forceinline__
#define KERNEL __global__
#define INLINE static inline
#define EMPTY
#define DEVVAR __device__
