// Another cell may include them again, and gets nothing new.
#include "lib/consts.h"
#include "timer.h"
#include "lib/vec.h"
int sum = twice(1);
got = geo::next(), c = c_next();
printf("%d %d %d %d\n", calls, got, Vec::made, c);
__global__ void scale(float *out) { *out = lookup(1) + geo::norm2(Vec(1, 1)); }
float *out, h, table_of_mine[2] = {30, 40};
cudaMalloc(&out, 4);
scale<<<1, 1>>>(out);
cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost);
printf("%.0f\n", h);
cudaMemcpyToSymbol(table, table_of_mine, 8);
