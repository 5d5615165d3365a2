#include <cstdio>
#include <cstdlib>
int deep(int n) { volatile char pad[4096]; pad[0] = n; return deep(n + 1) + pad[0]; }
printf("kept\n");
