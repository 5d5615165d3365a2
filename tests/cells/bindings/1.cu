#include <map>
#include <string>
#include <tuple>
struct Pt { float x; int n; } pt{1.5f, 2};
auto [q, r] = std::make_pair(7, 3);
auto &[px, pn] = pt;
const auto [name, score] = std::make_tuple(std::string("Ann"), 4.5);
int arr[2] = {4, 5};
auto [a0, a1] = arr;
auto [q2, r2] = std::pair<int, int>{q, r};
q * r
