#include <iostream>
#include <map>
#include <tuple>
#include <cstdint>
struct Point { int x, y; };
std::ostream &operator<<(std::ostream &o, const Point &p) { return o << "P(" << p.x << " " << p.y << ")"; }
std::map<std::string, int> m = {{"a", 1}, {"b", 2}};
Point pt{3, 4};
std::cout << "streamed " << pt << std::endl
