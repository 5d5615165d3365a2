#include <string>
#include <stdexcept>
char b[4] = {65, (char)200, 66, 0};
std::string s = "caf\xe9";
const char *p = b;
struct named { std::string name; };
b
