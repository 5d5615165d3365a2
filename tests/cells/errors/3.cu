#include <stdexcept>
int before = 3;
int g() { int unused; return 2; }
throw std::runtime_error("no luck");
