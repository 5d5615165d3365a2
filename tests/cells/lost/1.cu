#include <vector>
int x = 5; std::vector<int> many(3);
struct Point { int a; };
__global__ void fill(int *p) { *p = 1; }
int twice(int n) { return 2 * n; }
