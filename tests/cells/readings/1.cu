#include <cmath>
#include <map>
#include <string>
#include <vector>
#include <utility>
int a = 6, b = 7, calls = 0;
int *p = &a;
int f(int n) { calls += n; return n; }
template <class U> U tf(U u) { calls++; return u; }
struct T { int n; T(int n = 0) : n(n) {} bool operator&(const T &o) { calls += 100; return n & o.n; } static int s; };
int T::s = 5;
T t1(3), t2(2);
namespace n { int v = 4; struct C { int c = 9; }; }
template <class U> struct V { U u = 8; };
