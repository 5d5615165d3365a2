constexpr int thrice(int x) { return 3 * x; }
__global__ void k(int *x) { x[0] = std::max(3, thrice(x[0])); }
