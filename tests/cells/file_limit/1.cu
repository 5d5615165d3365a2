#include <cstdio>
#include <cstdlib>
int kept = 3;
FILE *large = tmpfile();
char *bytes = (char *)calloc(1, 9000000);
size_t n = fwrite(bytes, 1, 9000000, large);
printf("%d\n", n < 9000000);
