#include <iostream>
__global__ void old(int *p) { *p = __shfl_down(*p, 1); }
