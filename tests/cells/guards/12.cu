#include <cstdlib>
int *e;
cudaMalloc(&e, 4096);
free(e);
