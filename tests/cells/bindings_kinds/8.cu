#include <map>
auto [it, fresh] = std::map<int, int>{{1, 2}}.insert({3, 4});
constexpr int bound = 3;
int arr[2][bound] = {{1, 2, 3}, {4, 5, 6}};
auto &[row0, row1] = arr;
auto [x, y, z] = std::tuple<int &, int *, const int>(arr[0][0], &arr[0][1], 9);
fresh
