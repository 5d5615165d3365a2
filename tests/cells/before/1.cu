#include <string>
#include <vector>
#define BS 16
#define F(x) ((x) + 1)
struct S { int n; int get() { return n; } };
struct R { const char *s; R(const char *s) : s(s) {} };
int n = 4;
std::string s = "old";
const int c = 3, arr[2] = {1, 2};
auto sq = [](int x) { return x * x; };
R r1("one");
std::vector<int> v{1, 2, 3};
int twice(int x) { return 2 * x; }
int quad(int x) { return twice(twice(x)); }
__global__ void k(int *p) { *p = 1; }
