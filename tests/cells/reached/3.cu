__device__ Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
__device__ float gain = 7;
int &r = b;
int *const q = &b;
int once(int x = 7) { return x + 1; }
constexpr int LIMIT = 4;
#undef NAME
constexpr int NAME = 2;
struct Box { int v = 5; int get() const { return v + 1; } };
int wide() { return 7; }
