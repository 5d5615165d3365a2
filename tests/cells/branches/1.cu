#include <string>
#include <vector>
#define HOST 1
#ifdef DEBUG
int level = 0;
std::string name = "debug";
#else
int level = 3, *pl = &level;
static const std::vector<int> table{1, 2, 3};
std::string name = "release"; // comment
const char *where() { return name.c_str(); }
#if HOST == 1
double nested = 1.5;
#elif HOST == 2
float nested = 2.5f, more;
#endif
auto add = [](int x) { return x + 1; };
#endif
printf("%d %d\n", level, __LINE__);
