#include <string>
std::string s; s.front();
