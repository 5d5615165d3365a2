#include <algorithm>
#include <ctime>
#include <string>
#include <vector>
using namespace std;
struct Seed { bool set; Seed() : set(time(0) > 0) {} };
vector<int> v{3, 9, 2};
int index = 3, max = 0, min = 100, plain = 7;
double y1, gamma = 0.5;
const int rand = 4;
static double yn[3] = {1, 2, 3};
string rename = "a";
int array[rand] = {1};
for (int x : v) { if (x > max) max = x; if (x < min) min = x; }
y1 = std::max(3, index) + gamma;
struct Member { int index = 9; int get() const { return index; } };
for (int index = 0; index < 2; index++) rename += "b";
printf("%d %d %d %.1f %s %d\n", index, max, min, y1, rename.c_str(), Member().get() + Member().index);
sizeof array
