// Device printf: every conversion, flags, width and precision; strings; the count it returns.
#include "check.h"

__device__ const char *const names[2] = {"first", "second"};

__global__ void formats(const char *from_host) {
    printf("%d %i %u %x %X %o %#x %#o\n", -5, 6, 4000000000u, 48879, 48879, 8, 255, 8);
    printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%5.3d]\n", 42, 42, 42, 42, 42, 42);
    printf("[%*d] [%-*d]\n", 6, 7, 6, 7);
    printf("%f %e %g %.3f %10.2f %-10.1f| %E %G\n", 1.5, 12345.678, 0.0001, 3.14159, 2.5, 2.5, 1e-5, 1e20);
    printf("%f %f %f %g\n", 1.0f / 0.0f, -1.0 / 0.0, 0.0f, -0.0);
    printf("%a\n", 1.0);
    printf("%c%c%c %%\n", 'a', 66, '!');
    printf("%s|%10s|%-10s|%.2s|%s\n", "text", "right", "left", "cut", names[1]);
    printf("%lld %llu %llx %ld %lu\n", -1234567890123ll, 18446744073709551615ull, 0xfeedfacecafebeefull, -7l, 7ul);
    printf("%hd %hu %hx %hhx %hhd %hu %hd\n", (short)-3, (unsigned short)65535, (short)-32768, (signed char)-2, 0x1ff, 65537, 65535);
    printf("no newline, ");
    printf("\n");
    printf("%s\n", from_host);
    int n = printf("%d %d %d\n", 1, 2, 3);
    printf("%d arguments\n", n);
    printf("");
}

__global__ void lanes() {
    if (threadIdx.x % 2 == 0)
        printf("even lane %d of block %d\n", threadIdx.x, blockIdx.x);
    __syncwarp();
    if (threadIdx.x % 2)
        printf("odd lane %d\n", threadIdx.x);
}

__global__ void mixed(double d, float f, long long l, char c, short s, bool b, unsigned char u) {
    printf("%g %g %lld %d %d %d %u\n", d, f, l, c, s, b, u);
}

__global__ void many(int n) {
    for (int i = 0; i < n; i++)
        printf("%d\n", i);
}

int main() {
    char text[] = "a string from the host";
    formats<<<1, 1>>>(device(std::vector<char>(text, text + sizeof text)));
    LAUNCHED;
    lanes<<<1, 6>>>();
    LAUNCHED;
    mixed<<<1, 1>>>(0.1, 0.1f, -1, -2, -3, true, 250);
    LAUNCHED;
    many<<<1, 1>>>(3);
    many<<<1, 1>>>(2);
    LAUNCHED;
    printf("host last\n");
}
