#define NAMED(x) printf("%s %d\n", #x, x + 1)
#define TWICE(x) printf("%s %d %d\n", #x, x, x)
TWICE(max);
