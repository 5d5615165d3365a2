void which(int *p) { p[threadIdx.x] = 1; }
