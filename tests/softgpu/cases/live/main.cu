// A kernel's printf is seen while the kernel still runs: test_live.py reads it as it comes.
#include "check.h"

__device__ unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

__global__ void slow() {
    printf("begun\n");
    for (unsigned long long from = now(); now() - from < 1500000000ull;)
        ;
    printf("ended\n");
}

int main() {
    slow<<<1, 1>>>();
    LAUNCHED;
}
