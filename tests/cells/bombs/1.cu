#include <cstdio>
int before = 41;
{
    FILE *f = fopen("/tmp/warpbook_bomb_self.h", "w");
    fputs("#include \"warpbook_bomb_self.h\"\n", f);
    fclose(f);
}
