#include <cstdlib>
char *volatile twice = (char *)malloc(2000), *volatile wall = (char *)malloc(10);
free(twice);
free(twice);
