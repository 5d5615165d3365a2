#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
struct Inner { int a; double b; };
auto [i0, d0] = std::pair{1, 2.5};
auto &&[t0, t1] = std::tuple<std::string, int>("temporary", 7);
const auto &[s0, s1, s2] = std::array<int, 3>{4, 5, 6};
Inner grid[2] = {{1, 1.5}, {2, 2.5}};
auto &[g0, g1] = grid;
static auto [st0, st1] = Inner{8, 0.5};
auto [v0, v1] = std::pair{std::vector<int>{1, 2, 3}, [](int x) { return x * 2; }};
auto [un0, un1] = [] { struct { int x, y; } p{3, 4}; return p; }();
auto sum = [] { return i0 + g0.a + st0; };
int use_i0() { return i0 * 10; }
i0 + t1
