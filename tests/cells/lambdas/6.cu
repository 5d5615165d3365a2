#include <string>
#include <vector>
using Pair = int[2];
int arr[3] = {1, 2, 3}, n = 1, grid[2][2] = {{1, 2}, {3, 4}};
static int used;
Pair pair = {1, 2};
std::string words[2] = {"a", "b"}, word = "w";
std::vector<int> v{1, 2};
auto copy = [arr] { return arr[0] + (int)sizeof arr; };
auto every = [=] { int s = 0; for (int x : arr) s += x; ++used; return s * 100 + n + grid[1][1] + pair[0]; };
auto mixed = [=, &n] { n += arr[1]; return n; };
auto texts = [=]() mutable { v.push_back(3); return words[0] + word + std::to_string(v.size()); };
arr[0] = arr[1] = 50; n = 5; grid[1][1] = pair[0] = 0; words[0] = word = "z"; v.clear();
printf("%d %d %s\n", copy(), every(), texts().c_str());
printf("%d %d\n", mixed(), used);
