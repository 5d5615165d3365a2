#include <cublas_v2.h>
#include <cstdio>
float dx = 0.5f, add = 2; // hexadecimal numbers to a linker that does not know better
int db = 3, MAX = 4, ORIGIN = 5, len = 6;
cublasHandle_t h, v2 = nullptr; // words of the header's name
dx + add

