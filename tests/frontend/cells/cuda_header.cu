// left it reads
#include <cuda_fp16.h>
int n = 1;
