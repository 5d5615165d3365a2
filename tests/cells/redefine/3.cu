int f(int a) { return a + (int)(2 * x); }
#undef WHO
#define WHO "two"
__global__ void k(int *out) { *out = 2; }
