#include <array>
struct Point { int x, y; };
const int n = 3, *pn = &n, more[2] = {7, 8};
constexpr double d = 2.5;
constexpr int table[3] = {1, 2, 3}, second[2] = {4, 5};
const double *pd = &d;
const int *p0 = table, *p1 = second;
constexpr Point origin{1, 2};
const Point *po = &origin;
namespace a { constexpr int t[2] = {5, 6}; }
const int *pt = a::t;
static constexpr char word[] = "word";
const char *pw = word;
constexpr std::array<int, 2> arr{1, 2};
const int *pa = arr.data();
const char *const names[] = {"a", "b"}, *const *pnames = names;
inline constexpr int grid[2][2] = {{1, 2}, {3, 4}};
const int *pg = grid[1];
constexpr int four(4), (*none)(int) = nullptr;
constexpr auto square = [](int x) { return x * x; };
