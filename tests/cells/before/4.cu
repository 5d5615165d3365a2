printf("%s %s %zu %zu\n", keep->s, r1.s, w.size(), v.size());
int before2 = n + BS;
double n = 7;
#undef BS
#define BS 5
before2 + n + BS
