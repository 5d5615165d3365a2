// made
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>
std::vector<int> v{3, 1, 2};
std::map<std::string, int> counts;
static __wb_end run() { std::sort(v.begin(), v.end()); counts["a"] = v[0]; std::cout << counts["a"] << std::endl; return __wb_end(); }
static int ran = (run().go_on(), wb_cell_finished = 1);
