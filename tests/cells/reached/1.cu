#include <cstdio>
#include <functional>
#include <vector>
struct Complex { float re, im; };
__device__ Complex operator*(Complex a, Complex b) { return {a.re * b.re + a.im * b.im, a.re * b.im + a.im * b.re}; }
__device__ float gain = 2;
int a = 1, b = 2, &r = a;
int *const q = &a;
int once(int x = 2) { return x; }
constexpr int LIMIT = 3;
#define NAME 1
struct Box { int v = 1; int get() const { return v; } };
Box box;
int *wide() { static int n = 3; return &n; }
