#pragma once
/* usage:
#include "vec.h"
*/
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
#include "consts.h"
struct Vec {
    float x, y;
    static int made;
    HD Vec(float x, float y) : x(x), y(y) {
    }
    HD float dot(const Vec &o) const {
        return x * o.x + y * o.y;
    }
};
int Vec::made = 7;
namespace geo {
HD inline float norm2(const Vec &v) {
    return v.dot(v) * SCALE;
}
int count = 0;
int next() {
    static int n = 10;
    count++;
    return ++n;
}
} // namespace geo
template <class T> T twice(T t) {
    static int calls;
    calls++;
    return t + t + calls;
}
__constant__ float table[2] = {3, 4};
__device__ float lookup(int i) {
    return table[i];
}
