// step.h: functions for the check of a step, compiled between the student's answer and the check.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace step {

static unsigned long long state = 1;

// Returns 32 random bits. The kernel chose the seed.
static unsigned draw() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    unsigned x = (unsigned)(((state >> 18) ^ state) >> 27), r = (unsigned)(state >> 59);
    return (x >> r) | (x << (-r & 31));
}

// Returns a random integer from low to high, both included.
static int between(int low, int high) {
    return low + (int)(draw() % (unsigned)(high - low + 1));
}

static bool chinese;

// Returns the text in the notebook's language. Formats take the same arguments; %2$s: the second.
static const char *either(const char *english, const char *other) {
    return chinese ? other : english;
}

// Reports a mistake in one sentence and ends the check.
static void wrong(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fflush(stdout);
    printf("\n\036step wrong ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
    exit(0);
}

// Allocates n numbers in managed memory: small integers, so that sums are exact.
template <class T> static T *some(long n, int low = -8, int high = 8) {
    T *a = nullptr;
    if (cudaMallocManaged(&a, (n > 0 ? n : 1) * sizeof(T)) != cudaSuccess)
        exit(1);
    for (long i = 0; i < n; i++)
        a[i] = (T)between(low, high);
    return a;
}

// Allocates n numbers with a value that no kernel would leave by chance.
template <class T> static T *poisoned(long n) {
    T *a = some<T>(n);
    for (long i = 0; i < n; i++)
        a[i] = (T)-77777;
    return a;
}

// Waits for the kernels. If one failed, the notebook's kernel reports the error.
static void wait() {
    if (cudaDeviceSynchronize() != cudaSuccess)
        exit(1);
}

static int run(int argc, char **argv, void (*check)()) {
    state = strtoull(argc > 1 ? argv[1] : "1", nullptr, 10) * 2654435761u + 12345;
    chinese = argc > 2 && strcmp(argv[2], "zh") == 0;
    for (int i = 0; i < 8; i++)
        draw();
    check();
    wait();
    fflush(stdout);
    printf("\n\036step end\n");
    return 0;
}

} // namespace step
