#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>
#define N 1024
#define T float
#define value 7
#ifndef FOO
#define FOO 3
#endif
int total = 0, base = 10;
const int K = 3;
thread_local int own = 5;
int größe = 4;
std::vector<int> v = {1, 2, 3};
std::vector<bool> bits{false, true};
std::for_each(v.begin(), v.end(), [&total, K](int x) { total += x * K; });
auto copied = [=](int x) { return x + base + K; };
auto named = [base](int x) { return x + base; };
auto shared = [&](int x) { return x + base; };
std::function<int(int)> fib = [&](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
template <class A> struct Pair { A a, b; Pair(A x, A y) : a(x), b(y) {} };
template <class A> Pair(A, A) -> Pair<A>;
base = 20;
for (int i = 0; i < 1; i++) { int base = 1; total += [base] { return base; }(); }
printf("%d %d %d %d %d\n", copied(1), named(1), shared(1), fib(10), total);
bits[N - 1023]
