// Shapes of divergence: each kernel's path is followed by every lane on its own, and on the host.
#include "check.h"

#define BOTH __host__ __device__

BOTH int nested_loops(int i) {
    int sum = 0;
    for (int a = 0; a < i % 7; a++)
        for (int b = 0; b < (i + a) % 5; b++) {
            if ((a + b + i) % 3 == 0)
                continue;
            if (b * a > 6)
                break;
            sum += a * 10 + b;
        }
    return sum;
}

BOTH int early(int i) {
    if (i % 11 == 0)
        return -1;
    int n = 0;
    while (true) {
        if (i == 1)
            return n;
        if (n > 100)
            break;
        i = i % 2 ? 3 * i + 1 : i / 2;
        n++;
    }
    return n * 1000 + i;
}

BOTH int switched(int i) {
    int r = 0;
    for (int k = 0; k < 4; k++)
        switch ((i + k) % 9) {
        case 0:
            r += 3;
            break;
        case 1:
            r *= 5;
        case 2: // on purpose
            r -= 7;
            break;
        case 3:
            r ^= i;
            break;
        case 4:
            r += r / 3;
            break;
        case 5:
            r = ~r;
            break;
        case 6:
            if (i & 8)
                return r;
            r <<= 1;
            break;
        case 7:
            r += 11;
            break;
        default:
            r -= i;
        }
    return r;
}

BOTH int jumps(int i) {
    int n = 0;
again:
    n++;
    if (n % 3 == i % 3)
        goto other;
    if (n < i % 13)
        goto again;
    goto out;
other:
    n += 2;
    if (n < i)
        goto again;
out:
    return n;
}

BOTH int do_while(int i) {
    unsigned x = i * 2654435761u;
    int n = 0;
    do {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        n++;
        if ((x & 0xff) == 0x55 && (n & 1))
            break;
    } while ((x & 31) > 3 || n < 2);
    return n + (int)(x & 7) * 100;
}

BOTH int conditions(int i) {
    int r = 0;
    if ((i > 3 && i < 20 && i % 2) || (i > 25 && !(i % 3)))
        r = 1;
    r += i > 10 ? (i > 20 ? 100 : 200) : (i > 5 ? 300 : 400);
    for (int k = 0; k < 3 && !(i == 7 && k == 1); k++)
        r += k == i % 3 ? 1000 : 2000;
    return r;
}

template <int (*f)(int)> __global__ void each(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(i);
}

template <int (*f)(int)> void check(const char *name) {
    const int n = 1000;
    int *out = device<int>(n);
    each<f><<<(n + 95) / 96, 96>>>(out, n);
    LAUNCHED;
    std::vector<int> want(n);
    for (int i = 0; i < n; i++)
        want[i] = f(i);
    same(name, fetch(out, n), want);
}

// After any divergence the lanes are together again: one ballot sees all 32.
__global__ void together(unsigned *out, int n) {
    int i = threadIdx.x;
    int x = 0;
    for (int k = 0; k < i % 4 + n; k++)
        x += k;
    if (i % 3 == 0)
        x *= 2;
    else if (i % 3 == 1)
        x += 5;
    __syncwarp();
    out[i] = __activemask() == ~0u && x >= 0;
}

// Lanes that have left do not hold up the others at a barrier.
__global__ void leavers(int *out) {
    __shared__ int s[128];
    int i = threadIdx.x;
    if (i >= 100)
        return;
    if (i % 32 == 5)
        return;
    s[i] = i;
    __syncthreads();
    out[i] = s[(i + 1) % 100 % 32 == 5 ? i : (i + 1) % 100];
}

// A lock between the lanes of one warp, in the form that deadlocks where lanes are not independent.
__global__ void spin_lock(int *lock, volatile int *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *counter = *counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void hard_spin_lock(int *lock, volatile int *counter) {
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    *counter = *counter + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// One lane waits for another of its warp, and one block for another.
__global__ void hand_over(volatile int *flag, int *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    while (*flag != i)
        ;
    out[i] = i * i;
    __threadfence();
    *flag = i + 1;
}

int main() {
    check<nested_loops>("nested loops");
    check<early>("early return");
    check<switched>("switch");
    check<jumps>("goto");
    check<do_while>("do while");
    check<conditions>("conditions");
    unsigned *u = device<unsigned>(32);
    together<<<1, 32>>>(u, 2);
    LAUNCHED;
    same("together", fetch(u, 32), std::vector<unsigned>(32, 1));
    int *out = device<int>(128);
    leavers<<<1, 128>>>(out);
    LAUNCHED;
    auto got = fetch(out, 100);
    long sum = 0;
    for (int v : got)
        sum += v;
    printf("leavers %ld\n", sum);
    int *lock = device<int>(1), *counter = device<int>(1);
    spin_lock<<<2, 64>>>(lock, counter);
    hard_spin_lock<<<2, 48>>>(lock, counter);
    LAUNCHED;
    printf("locked %d times\n", fetch(counter, 1)[0]);
    int *flag = device<int>(1);
    hand_over<<<2, 40>>>(flag, out);
    LAUNCHED;
    printf("handed over: %d %d\n", fetch(flag, 1)[0], fetch(out, 80)[79]);
}
