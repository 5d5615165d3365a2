#include <stdexcept>
#include <string>
int before = 1, plain = 4;
std::string name = "old";
int shout() { return 5; }
