#include <cstdio>
void warns() {
    int never;
    if (0) printf("");
}
