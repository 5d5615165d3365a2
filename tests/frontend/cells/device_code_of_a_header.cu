// left it has device code
#line 3 "lib/vec.h"
__device__ inline float lookup(int i) { return i; }
