#include <cstdio>
std::printf("next");
