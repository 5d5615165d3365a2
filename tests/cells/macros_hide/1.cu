int sq(int x) { return x * x + 1000; }
const int c = 4;
constexpr int cc = 5;
struct T { int x, *q; int get() { return x + *q; } };
__device__ int dv = 9;
int n = 6;
template <class A> A plus_c(A a) { return a + c; }
__device__ int plus_dv(int c) { return c + dv; }
enum Colour { red, green };
int host() { return n + c; }
auto add = [](int x) { return x + c; };
