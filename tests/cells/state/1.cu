#include <cstdio>
#include <string>
#include <vector>
int n = 5, *p = &n, table[] = {1, 2, 3};
static int hidden = 7;
const int limit = n + 1;
const int size = 16;
constexpr double half = 0.5;
auto deduced = 2.5f;
std::vector<int> v(3);
std::string name = "warp";
cudaError_t err = cudaSuccess;
auto twice = [](int x) { return 2 * x; };
struct S { int a; float b; } s = {1, 2};
enum Color { RED, GREEN = 4 };
static int add(int a, int b = 10) { return a + b; }
inline int sub(int a, int b) { return a - b; }
namespace deep { namespace er { int value = 3; int get() { return value; } } }
namespace { int unnamed = 9; }
#define SQUARE(x) ((x) * (x))
template <class T> T largest(T a, T b) { return a > b ? a : b; }
v[1] = 8;
printf("first %d\n", n);
n + 1
