#ifndef X
__device__ int dv = 3;
#endif
