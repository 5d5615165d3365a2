// A kernel's printf is seen while the kernel still runs: with the argument "wait" it ends when a line has come on stdin,
// which test_live.py writes when it has read the kernel's first.
#include "check.h"
#include <thread>

__global__ void slow(const volatile int *go) {
    printf("begun\n");
    while (!*go)
        ;
    printf("ended\n");
}

int main(int argc, char **) {
    int *go;
    cudaMallocManaged(&go, sizeof *go);
    *go = argc < 2;
    std::thread reader([=] {
        if (argc > 1 && getchar() != EOF)
            *go = 1;
    });
    slow<<<1, 1>>>(go);
    LAUNCHED;
    reader.join();
}
