template <> __host__ __device__ int f0<int>(int x) { return x + 1; }
