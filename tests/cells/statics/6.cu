inside();
__global__ void k2() { kept<int>++; Dev().next(); printf("%d %d\n", next(1), tile()); }
