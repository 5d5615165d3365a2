#define SWAP(a, b, T) do { T was = a; a = b; b = was; } while (0)
int before = FOO;
#undef FOO
int FOO = 5;
Header back = header;
Made::only(); Made::m++;
printf("%zu %zu %zu %u %d\n", sizeof(Header), sizeof(Small), sizeof wide, back.size, small.i);
int first = Made().next(), second = Made::only().next();
SWAP(first, second, int);
printf("%d %d %d %d\n", Made::n, Made::m, first, second);
	count += data.size() + before + FOO;
count + grow(1)
