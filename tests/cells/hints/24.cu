#include <cuda.h>
int main() { return cuInit(0); }
