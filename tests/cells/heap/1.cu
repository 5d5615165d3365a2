#include <cstdlib>
#include <cstring>
#include <malloc.h>
int *device;
char *volatile host = (char *)malloc(100000);
memset(host + malloc_usable_size(host), 0xff, 8);
cudaMalloc(&device, 1 << 20);
char *volatile more = (char *)malloc(120000);
