#include <stdlib.h>

void reference(const float *in, float *out, int n) {
    (void)in;
    (void)out;
    exit(n ? 7 : 0);
}
