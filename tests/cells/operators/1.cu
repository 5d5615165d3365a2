// Operators on types that no cell defines.
#include <iostream>
#include <vector>
std::ostream &operator<<(std::ostream &out, const std::vector<int> &v) {
    for (int x : v)
        out << x << ";";
    return out;
}
__host__ __device__ float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ float3 operator*(float3 a, int n) { return n > 1 ? a * (n - 1) + a : a; }
__host__ __device__ bool operator==(dim3 a, dim3 b) { return a.x == b.x; }
