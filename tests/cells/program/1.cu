#include <cstdio>
#include <cstdlib>
int kept = 4;
