// Thrust, whose algorithms choose their kernels at run time by the device's properties.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct by_last_digits { // an order of one's own takes merge sort, whose kernels may start early on Hopper
    __host__ __device__ bool operator()(int a, int b) const {
        return a % 100 != b % 100 ? a % 100 < b % 100 : a > b;
    }
};

struct square {
    __host__ __device__ long operator()(int x) const {
        return (long)x * x;
    }
};

int main() {
    const int n = 10007;
    Random random(2);
    std::vector<float> v(n);
    for (auto &x : v)
        x = (int)(random.next() >> 44) - 500000;
    thrust::device_vector<float> d(v.begin(), v.end());
    thrust::sort(d.begin(), d.end(), thrust::greater<float>());
    std::vector<float> got(n), want = v;
    thrust::copy(d.begin(), d.end(), got.begin());
    std::sort(want.begin(), want.end(), std::greater<float>());
    same("sort", got, want);
    printf("reduce %d\n", thrust::reduce(d.begin(), d.end(), 0.0) == std::accumulate(v.begin(), v.end(), 0.0));
    thrust::device_vector<int> i(n, 3);
    thrust::exclusive_scan(i.begin(), i.end(), i.begin());
    printf("scan %d\n", (int)i[n - 1]);
    thrust::transform(i.begin(), i.end(), i.begin(), thrust::negate<int>());
    printf("transform %d\n", (int)i[100]);
    thrust::device_vector<int> keys(n), values(n);
    thrust::sequence(values.begin(), values.end());
    std::vector<int> k(n);
    for (auto &x : k)
        x = random.next() % 100;
    keys = k;
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    std::vector<int> order(n), gv(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return k[a] < k[b]; });
    thrust::copy(values.begin(), values.end(), gv.begin());
    same("sort by key", gv, order);
    thrust::sequence(values.begin(), values.end());
    thrust::sort(values.begin(), values.end(), by_last_digits());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), by_last_digits());
    thrust::copy(values.begin(), values.end(), gv.begin());
    same("sort by an order of one's own", gv, order);
    long squares = 0;
    for (int x : k)
        squares += (long)x * x;
    keys = k;
    printf("squares %d\n", thrust::transform_reduce(keys.begin(), keys.end(), square(), 0l, thrust::plus<long>()) == squares);
}
