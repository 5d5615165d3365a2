// Blocks that wait for one another as programs do it: locks of four kinds, barriers of one's own, chains, wave fronts, hand-overs,
// and a queue of work.
#include "timed.h"
using namespace timed;

__device__ inline float some_work(float x, int rounds) {
    for (int k = 0; k < rounds; k++)
        x = x * 0.999f + 0.25f;
    return x;
}
__device__ inline void critical(float *sum, float mine) {
    __threadfence();
    *(volatile float *)sum = *(volatile float *)sum + mine;
    __threadfence();
}
__global__ void by_exchange(float *sum, int *lock, float *out, int rounds) {
    float x = some_work((float)threadIdx.x, rounds);
    out[INDEX] = x;
    if (threadIdx.x == 0) {
        while (atomicExch(lock, 1) != 0)
            ;
        critical(sum, 1);
        atomicExch(lock, 0);
    }
}
__global__ void tickets(float *sum, unsigned *next, volatile unsigned *serving, int rounds, float *out) {
    out[INDEX] = some_work((float)threadIdx.x, rounds);
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (*serving != mine)
            ;
        critical(sum, 1);
        *serving = mine + 1;
    }
}
__global__ void sleeping(float *sum, int *lock, unsigned ns) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            __nanosleep(ns);
        critical(sum, 1);
        atomicExch(lock, 0);
    }
}
__global__ void bucket_locks(float *sums, int *locks, int buckets) {
    if (threadIdx.x == 0) {
        int b = (int)(mix(blockIdx.x) % (unsigned)buckets);
        while (atomicCAS(&locks[b], 0, 1) != 0)
            ;
        critical(&sums[b], 1);
        atomicExch(&locks[b], 0);
    }
}
// All blocks meet `phases` times; each reads what its neighbour wrote in the phase before.
__global__ void phases(float *rows, unsigned *count, int turns, int each) {
    int n = gridDim.x * blockDim.x;
    for (int t = 0; t < turns; t++) {
        const volatile float *from = rows + (size_t)(t & 1) * n;
        float *to = rows + (size_t)(~t & 1) * n;
        to[INDEX] = some_work(from[(INDEX + blockDim.x) % n], each) + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
            while (*(volatile unsigned *)count < (unsigned)(t + 1) * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}
// Prefix sums in one pass: a block adds up what the blocks before it have made known, from the nearest on.
__global__ void look_back(const int *in, int *out, volatile unsigned long long *known) {
    __shared__ int t[256], before;
    t[threadIdx.x] = in[INDEX];
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        int left = (int)threadIdx.x >= d ? t[threadIdx.x - d] : 0;
        __syncthreads();
        t[threadIdx.x] += left;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = t[255], sum = 0;
        known[blockIdx.x] = (1ULL + (blockIdx.x == 0)) << 32 | (unsigned)total;
        for (int b = (int)blockIdx.x - 1; b >= 0; b--) {
            unsigned long long word;
            while (!((word = known[b]) >> 32))
                ;
            sum += (int)(unsigned)word;
            if (word >> 33)
                break;
        }
        if (blockIdx.x)
            known[blockIdx.x] = 2ULL << 32 | (unsigned)(sum + total);
        before = sum;
    }
    __syncthreads();
    out[INDEX] = before + t[threadIdx.x];
}
// Tiles of a table, each after its left and its upper neighbour.
__global__ void wave(int *table, volatile int *done, int side, int rounds) {
    int r = blockIdx.y, q = blockIdx.x;
    if (threadIdx.x == 0) {
        while (r && !done[(r - 1) * side + q])
            ;
        while (q && !done[r * side + q - 1])
            ;
        __threadfence();
    }
    __syncthreads();
    int up = r ? table[((r - 1) * side + q) * blockDim.x + threadIdx.x] : 0;
    int left = q ? table[(r * side + q - 1) * blockDim.x + threadIdx.x] : 0;
    table[(r * side + q) * blockDim.x + threadIdx.x] = max(up, left) + 1 + (some_work(0, rounds) < 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        done[r * side + q] = 1;
    }
}
// Even blocks make, odd ones take over.
__global__ void hand_over(const float *in, float *box, float *out, int *full, int each) {
    size_t pair = blockIdx.x / 2;
    if (blockIdx.x % 2 == 0) {
        float x = 0;
        for (int k = 0; k < each; k++)
            x += in[(pair * each + k) * blockDim.x + threadIdx.x];
        box[pair * blockDim.x + threadIdx.x] = x;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(&full[pair], 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(&full[pair], 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[pair * blockDim.x + threadIdx.x] = 2 * box[pair * blockDim.x + threadIdx.x];
    }
}
// Few blocks take pieces of uneven work until there are none.
__global__ void a_queue(const float *in, float *out, unsigned *next, unsigned items, unsigned most) {
    __shared__ unsigned item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1);
        __syncthreads();
        unsigned mine = item;
        __syncthreads();
        if (mine >= items)
            return;
        float sum = 0;
        for (unsigned k = 0, each = 1 + mix(mine) % most; k < each; k++)
            sum += in[((size_t)mine + k) % items * blockDim.x + threadIdx.x];
        out[(size_t)mine * blockDim.x + threadIdx.x] = sum;
    }
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("waiting.by_exchange") {
        int grid = c.draw("blocks", 50, 600), rounds = c.draw("rounds", 0, 2000);
        float *sum = room<float>(1), *out = room<float>(grid * 64);
        int *lock = room<int>(1);
        c.time([&] { by_exchange<<<grid, 64>>>(sum, lock, out, rounds); }, [&] { cudaMemset(sum, 0, 4); });
        c.expect("the sum", back(sum, 1)[0], grid, 0);
    }
    CASE("waiting.tickets") {
        int grid = c.draw("blocks", 50, 600), rounds = c.draw("rounds", 0, 2000);
        float *sum = room<float>(1), *out = room<float>(grid * 64);
        unsigned *next = room<unsigned>(2);
        c.time([&] { tickets<<<grid, 64>>>(sum, next, next + 1, rounds, out); }, [&] { cudaMemset(sum, 0, 4), cudaMemset(next, 0, 8); });
        c.expect("the sum", back(sum, 1)[0], grid, 0);
    }
    CASE("waiting.sleeping") {
        int grid = c.draw("blocks", 50, 400), ns = c.draw("ns", 50, 1000);
        float *sum = room<float>(1);
        int *lock = room<int>(1);
        c.time([&] { sleeping<<<grid, 32>>>(sum, lock, ns); }, [&] { cudaMemset(sum, 0, 4); });
        c.expect("the sum", back(sum, 1)[0], grid, 0);
    }
    CASE("waiting.bucket_locks") {
        int grid = c.draw("blocks", 200, 1500), buckets = c.draw("buckets", 4, 64);
        float *sums = room<float>(buckets);
        int *locks = room<int>(buckets);
        c.time([&] { bucket_locks<<<grid, 32>>>(sums, locks, buckets); }, [&] { cudaMemset(sums, 0, buckets * 4); });
        double all = 0;
        for (float s : back(sums, buckets))
            all += s;
        c.expect("the sums", all, grid, 0);
    }
    CASE("waiting.phases") {
        int grid = c.draw("blocks", 16, 132), turns = c.draw("turns", 5, 60), each = c.draw("each", 1, 300);
        float *rows = room<float>(2 * grid * 128);
        unsigned *count = room<unsigned>(1);
        c.time([&] { phases<<<grid, 128>>>(rows, count, turns, each); },
               [&] { cudaMemset(count, 0, 4), cudaMemset(rows, 0, 2 * grid * 128 * 4); });
        float x = 0;
        for (int t = 0; t < turns; t++) {
            for (int k = 0; k < each; k++)
                x = x * 0.999f + 0.25f;
            x += 1;
        }
        c.check(rows + (turns & 1) * grid * 128, grid * 128, [&](size_t) { return x; });
    }
    CASE("waiting.look_back") {
        int grid = c.draw("blocks", 200, 4000);
        auto in = make<int>((size_t)grid * 256, [](size_t i) { return i % 3; });
        int *out = room<int>(in.size());
        auto *known = room<unsigned long long>(grid);
        c.time([&] { look_back<<<grid, 256>>>(in.gpu, out, known); }, [&] { cudaMemset(known, 0, grid * 8); });
        c.check(out, in.size(), [&](size_t i) { return (i + 1) / 3 * 3 + ((i + 1) % 3 == 2); }, 0);
    }
    CASE("waiting.wave") {
        int side = c.draw("side", 6, 40), rounds = c.draw("rounds", 0, 500);
        int *table = room<int>(side * side * 64), *done = room<int>(side * side);
        c.time([&] { wave<<<dim3(side, side), 64>>>(table, done, side, rounds); }, [&] { cudaMemset(done, 0, side * side * 4); });
        c.check(table, side * side * 64, [&](size_t i) { return i / 64 / side + i / 64 % side + 1; }, 0);
    }
    CASE("waiting.hand_over") {
        int pairs = c.draw("pairs", 40, 400), each = c.draw("each", 1, 60);
        auto in = make<float>((size_t)pairs * each * 128, [](size_t i) { return i % 5; });
        float *box = room<float>(pairs * 128), *out = room<float>(pairs * 128);
        int *full = room<int>(pairs);
        c.time([&] { hand_over<<<2 * pairs, 128>>>(in.gpu, box, out, full, each); }, [&] { cudaMemset(full, 0, pairs * 4); });
        c.check(out, pairs * 128, [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < each; k++)
                sum += in.cpu[(i / 128 * each + k) * 128 + i % 128];
            return 2 * sum;
        });
    }
    CASE("waiting.a_queue") {
        int items = c.draw("items", 2000, 8000), most = c.draw("most", 10, 100), grid = c.draw("blocks", 66, 528);
        auto in = make<float>((size_t)items * 128, [](size_t i) { return i % 7; });
        float *out = room<float>(in.size());
        unsigned *next = room<unsigned>(1);
        c.time([&] { a_queue<<<grid, 128>>>(in.gpu, out, next, items, most); }, [&] { cudaMemset(next, 0, 4); });
        c.check(out, in.size(), [&](size_t i) {
            double sum = 0;
            for (unsigned k = 0, each = 1 + mix((uint32_t)(i / 128)) % most; k < each; k++)
                sum += in.cpu[(i / 128 + k) % items * 128 + i % 128];
            return sum;
        });
    }
    return failed;
}
