#include <cstdio>
struct Loud { int n; ~Loud() { printf("gone %d\n", n); } };
int x = 1; int f(int a) { if (a) return 5; return 6; }
auto lam = [](int a) { if (a) return 1; return 2; };
#define SAY(x) do { printf("said %d\n", x); } while (0)
