// step.h: what the check of a step may use. It stands behind the student's answer, in one program.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace step {

static unsigned long long state = 1;

// Any 32 bits, by the seed that the kernel drew.
static unsigned draw() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    unsigned x = (unsigned)(((state >> 18) ^ state) >> 27), r = (unsigned)(state >> 59);
    return (x >> r) | (x << (-r & 31));
}

// A whole number, both ends included.
static int between(int low, int high) {
    return low + (int)(draw() % (unsigned)(high - low + 1));
}

static bool chinese;

// A text in the language that the notebook is read in. A format's arguments are the same in both:
// %2$s names the second.
static const char *either(const char *english, const char *other) {
    return chinese ? other : english;
}

// What is wrong, in a sentence; the first one counts, and the check ends.
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

// Memory of the host and the device: n numbers, small and whole, so that sums are exact.
template <class T> static T *some(long n, int low = -8, int high = 8) {
    T *a = nullptr;
    if (cudaMallocManaged(&a, (n > 0 ? n : 1) * sizeof(T)) != cudaSuccess)
        exit(1);
    for (long i = 0; i < n; i++)
        a[i] = (T)between(low, high);
    return a;
}

// ... n numbers that no kernel would leave by chance.
template <class T> static T *poisoned(long n) {
    T *a = some<T>(n);
    for (long i = 0; i < n; i++)
        a[i] = (T)-77777;
    return a;
}

// Waits for what was launched. What went wrong there is told by the kernel of the notebook.
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
