#include <string>
std::string name = "abc";
std::string twin = name + 3;
