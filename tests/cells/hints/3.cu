struct S { int n; S(int n) : n(n) {} template <class T> int plus(T x) { return n + x; } };
__global__ void k(int *x) { S s(3); x[0] = s.plus(4) + twice(3); }
