// made
#include <vector>
std::vector<double> v;
int cube(int n) { int r = 1; for (int i = 0; i < 3; i++) r *= n; return r; }
static void run(int k) { printf("%d %d %g %zu\n", cube(k), k, sqrt(v[0]), v.size()); }
