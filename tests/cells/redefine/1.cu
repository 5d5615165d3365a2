#include <cstdio>
int x = 1;
int f(int a) { return a + x; }
struct T { int a; };
T made = {1};
int take(T t) { return t.a; }
#define WHO "one"
__global__ void k(int *out) { *out = 1; }
