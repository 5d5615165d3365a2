#include <cstdio>
__global__ void hello() { printf("device %d\n", threadIdx.x); }
int main(int argc, char **argv) {
    int a = 0, b = 0;
    printf("two numbers: ");
    scanf("%d %d", &a, &b);
    hello<<<1, 2>>>();
    cudaDeviceSynchronize();
    printf("%d %d\n", a + b, argc);
}
