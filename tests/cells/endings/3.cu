#include <cstdlib>
#include <cstdio>
printf("last words");
abort();
