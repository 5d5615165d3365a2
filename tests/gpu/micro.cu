// Measures single costs: clocks of one operation, bytes a second of one path. Prints a JSON object a line: {"what", "value", "unit"}.
// micro.py builds and runs it; the figures of runtime/model/gpus stand on such measurements.
#include "../model/programs/timed.h"
using namespace timed;

static void say(const std::string &what, double value, const char *unit) {
    printf("{\"what\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", what.c_str(), value, unit);
    fflush(stdout);
}
static int multiprocessors, l2_bytes;
#include "spread.cuh"
static double median(class timed::clock &clock, const std::function<void()> &launch, bool cold, int runs = 11);
#include "accesses.cuh"

// ---- clocks of a chain in one warp --------------------------------------------------------------------

struct chain_in {
    float *data;
    int *ints, zero, bits; // zero is 0 and bits is 31, which the compiler doesn't know
};
enum kind {
    FMA, IMAD, ISHIFT, LONG_MUL, DFMA, DADD, EX2, RSQRT, SIN, RCP, LG2, CONVERT, SHUFFLE, BALLOT, MATCH_ANY, REDUX,
    SHARED_LOAD, SHARED_STORE_LOAD, SHARED_ADD_RETURN, SHARED_ADD_RETURN_SAME, SHARED_ADD, SHARED_ADD_SAME, SHARED_FLOAT_ADD, SHARED_FLOAT_ADD_SAME,
    SHARED_FLOAT_ADD_RETURN, SHARED_CAS, ATOMIC_RETURN, ATOMIC_RETURN_SAME, ATOMIC_RETURN_ONE_LANE, ATOMIC_FLOAT_RETURN, ATOMIC_CAS, FENCE, FENCE_BLOCK, SYNCWARP, KINDS
};
static const char *kind_names[] = {
    "fma", "integer multiply-add", "two integer shifts and a xor", "64-bit integer multiply", "fp64 fma", "fp64 add", "ex2.approx", "rsqrt.approx", "sin.approx", "rcp.approx",
    "lg2.approx", "int to float and back", "shuffle", "ballot", "match.any", "redux.add",
    "shared load", "shared store, then load", "shared atomicAdd int with result, own words", "shared atomicAdd int with result, one word",
    "shared atomicAdd int, own words", "shared atomicAdd int, one word", "shared atomicAdd float, own words", "shared atomicAdd float, one word",
    "shared atomicAdd float with result, own words", "shared atomicCAS, own words", "global atomicAdd with result, own words", "global atomicAdd with result, one word",
    "global atomicAdd with result, one lane", "global atomicAdd float with result, own words", "global atomicCAS, own words", "threadfence", "threadfence_block", "syncwarp"};

template <int KIND> __global__ void chain(chain_in in, float *out, long long *clocks) {
    __shared__ int t[64];
    __shared__ float f[64];
    const int N = 128, lane = threadIdx.x;
    int i = in.zero + 3;
    float x = in.zero + 1.5f;
    double d = in.zero + 1.5;
    long long w = in.zero + 3;
    t[lane] = in.zero, t[lane + 32] = in.zero, f[lane] = 0, f[lane + 32] = 0;
    if (KIND == SHARED_LOAD || KIND == SHARED_ADD_RETURN) // each word holds its own address
        i = t[lane] = (int)__cvta_generic_to_shared(&t[lane]);
    __syncthreads();
    long long first = 0;
    for (int pass = 0; pass < 3; pass++) { // the first passes fetch the instructions
        __syncwarp();
        first = clock64();
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (KIND == FMA) x = x * 0.99f + in.zero;
            if (KIND == IMAD) i = i * in.bits + lane;
            if (KIND == ISHIFT) i = (i << 1) ^ (i >> 3);
            if (KIND == LONG_MUL) w = w * in.bits;
            if (KIND == DFMA) d = d * 0.99 + 1.0;
            if (KIND == DADD) d = d + 1.25;
            if (KIND == EX2) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(x));
            if (KIND == RSQRT) asm volatile("rsqrt.approx.f32 %0, %0;" : "+f"(x));
            if (KIND == SIN) asm volatile("sin.approx.f32 %0, %0;" : "+f"(x));
            if (KIND == RCP) asm volatile("rcp.approx.f32 %0, %0;" : "+f"(x));
            if (KIND == LG2) asm volatile("lg2.approx.f32 %0, %0;" : "+f"(x));
            if (KIND == CONVERT) i = __float2int_rn(__int2float_rn(i));
            if (KIND == SHUFFLE) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(i));
            if (KIND == BALLOT) i = __ballot_sync(~0u, i & (1 << (k & 7)));
            if (KIND == MATCH_ANY) i = __match_any_sync(~0u, i & 1);
            if (KIND == REDUX) i = __reduce_add_sync(~0u, i);
            if (KIND == SHARED_LOAD) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(i) : : "memory");
            if (KIND == SHARED_STORE_LOAD) ((volatile int *)t)[lane] = i, i = ((volatile int *)t)[lane] + 1;
            if (KIND == SHARED_ADD_RETURN) asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(i) : "r"(in.zero) : "memory");
            if (KIND == SHARED_ADD_RETURN_SAME) i = atomicAdd(&t[i & in.zero], lane);
            if (KIND == SHARED_ADD) atomicAdd(&t[lane], lane + k);
            if (KIND == SHARED_ADD_SAME) atomicAdd(&t[lane & in.zero], lane + k);
            if (KIND == SHARED_FLOAT_ADD) atomicAdd(&f[lane], x);
            if (KIND == SHARED_FLOAT_ADD_SAME) atomicAdd(&f[lane & in.zero], x);
            if (KIND == SHARED_FLOAT_ADD_RETURN) x = atomicAdd(&f[lane + ((int)x & in.zero)], x);
            if (KIND == SHARED_CAS) i = atomicCAS(&t[lane + (i & in.zero)], i, i + 1);
            if (KIND == ATOMIC_RETURN) i = atomicAdd(&in.ints[lane + (i & in.zero)], i);
            if (KIND == ATOMIC_RETURN_SAME) i = atomicAdd(&in.ints[i & in.zero], lane);
            if (KIND == ATOMIC_RETURN_ONE_LANE && lane == 0) i = atomicAdd(&in.ints[i & in.zero], i);
            if (KIND == ATOMIC_FLOAT_RETURN) x = atomicAdd(&in.data[lane + ((int)x & in.zero)], x);
            if (KIND == ATOMIC_CAS) i = atomicCAS(&in.ints[lane + (i & in.zero)], i, i + 1);
            if (KIND == FENCE) __threadfence();
            if (KIND == FENCE_BLOCK) __threadfence_block();
            if (KIND == SYNCWARP) __syncwarp();
        }
        asm volatile("" : : "r"(i), "f"(x), "d"(d), "l"(w) : "memory");
        if (KIND == SHARED_ADD || KIND == SHARED_ADD_SAME || KIND == SHARED_FLOAT_ADD || KIND == SHARED_FLOAT_ADD_SAME)
            i += ((volatile int *)t)[lane] + (int)((volatile float *)f)[lane];
        asm volatile("" : : "r"(i) : "memory");
        float need = x + i + (float)d + (float)w; // the clock is read once the results are there
        asm volatile("{ .reg .pred p; setp.eq.f32 p, %0, 0f7FC00001; @p trap; }" : : "f"(need) : "memory");
        long long last = clock64();
        first = last - first;
    }
    out[lane] = x + i + (float)d + (float)w + t[lane] + f[lane];
    if (lane == 0)
        *clocks = first;
}

template <int KIND> void chains(chain_in in, float *out, long long *clocks) {
    cudaMemset(in.data, 0, 1 << 16);
    cudaMemset(in.ints, 0, 1 << 16);
    chain<KIND><<<1, 32>>>(in, out, clocks);
    must(cudaDeviceSynchronize(), kind_names[KIND]);
    say(std::string("chain: ") + kind_names[KIND], back(clocks, 1)[0] / 128.0, "clocks");
    if constexpr (KIND + 1 < KINDS)
        chains<KIND + 1>(in, out, clocks);
}

// ---- barriers ----------------------------------------------------------------------------------------

__global__ void barriers(long long *clocks) {
    long long first = 0;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        first = clock64();
#pragma unroll
        for (int k = 0; k < 64; k++)
            __syncthreads();
        first = clock64() - first;
    }
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = first;
}

// ---- latency of loads: one thread along a chain of pointers --------------------------------------------

template <bool L1> __global__ void chase(const int *next, int at, int steps, int *out, long long *clocks) {
    for (int pass = 0; pass < 2; pass++) {
        long long first = clock64();
        for (int k = 0; k < steps; k++)
            at = L1 ? __ldca(next + at) : __ldcg(next + at);
        asm volatile("" : : "r"(at) : "memory");
        *out = at;
        *clocks = clock64() - first;
    }
}

static void latency(const char *what, size_t bytes, bool l1, int steps) {
    size_t n = bytes / 4, line = 32, lines = n / line; // a line of 128 bytes a step, in a shuffled order
    std::vector<int> order(lines), next(n);
    for (size_t k = 0; k < lines; k++)
        order[k] = (int)k;
    for (size_t k = lines - 1; k > 0; k--)
        std::swap(order[k], order[((uint64_t)mix((uint32_t)k) << 11 ^ mix((uint32_t)k + 7)) % (k + 1)]);
    for (size_t k = 0; k < lines; k++)
        next[(size_t)order[k] * line] = (int)((size_t)order[(k + 1) % lines] * line);
    auto data = make<int>(n, [&](size_t i) { return next[i]; });
    int *out = room<int>(1);
    long long *clocks = room<long long>(1);
    int count = std::min<size_t>(steps, lines);
    if (l1)
        chase<true><<<1, 1>>>(data.gpu, 0, count, out, clocks);
    else
        chase<false><<<1, 1>>>(data.gpu, 0, count, out, clocks);
    must(cudaDeviceSynchronize(), what);
    say(std::string("latency: ") + what, (double)back(clocks, 1)[0] / count, "clocks");
    for (void *p : owned)
        cudaFree(p);
    owned.clear();
}

// ---- throughput ----------------------------------------------------------------------------------------

static double median(class timed::clock &clock, const std::function<void()> &launch, bool cold, int runs) {
    std::vector<double> took;
    for (int i = 0; i < runs + 2; i++) {
        double s = clock.seconds(launch, cold);
        if (i >= 2)
            took.push_back(s);
    }
    std::sort(took.begin(), took.end());
    return took[took.size() / 2];
}

// Every multiprocessor reads `n` float4 from `shift` on in turn, `rounds` times: from L1 (own: few bytes a block), or from L2.
__global__ void read_rounds(const float4 *in, size_t n, size_t apart, int rounds, float *out) {
    float sum = 0;
    const float4 *mine = in + blockIdx.x * apart;
    for (int r = 0; r < rounds; r++) {
#pragma unroll 4
        for (size_t k = threadIdx.x; k < n; k += blockDim.x) {
            float4 v = __ldca(mine + k);
            sum += v.x + v.y + v.z + v.w;
        }
        asm volatile("" ::: "memory");
    }
    if (sum == 1.2345e30f)
        *out = sum;
}
// Past L1: `n` float4 in all, each block a part that is another one each round.
__global__ void read_l2(const float4 *in, size_t n, int rounds, float *out) {
    float sum = 0;
    size_t part = n / gridDim.x;
    for (int r = 0; r < rounds; r++) {
        const float4 *mine = in + (blockIdx.x + (size_t)r * 37) % gridDim.x * part;
#pragma unroll 4
        for (size_t k = threadIdx.x; k < part; k += blockDim.x) {
            float4 v = __ldcg(mine + k);
            sum += v.x + v.y + v.z + v.w;
        }
    }
    if (sum == 1.2345e30f)
        *out = sum;
}
__global__ void read4(const float4 *in, size_t n, float *out) {
    float sum = 0;
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 1.2345e30f)
        *out = sum;
}
__global__ void write4(float4 *out, size_t n) {
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x)
        out[i] = make_float4(1, 2, 3, 4);
}
__global__ void copy4(const float4 *in, float4 *out, size_t n) {
    for (size_t i = INDEX; i < n; i += (size_t)gridDim.x * blockDim.x)
        out[i] = in[i];
}
__global__ void copy1(const float *in, float *out, size_t n) {
    size_t i = INDEX;
    if (i < n)
        out[i] = in[i];
}
__global__ void write_sectors(float *out, size_t step) { // one word of a sector a lane
    out[INDEX * step] = 1;
}
__global__ void red(int *sums, unsigned mask, int rounds) {
    for (int k = 0; k < rounds; k++)
        atomicAdd(&sums[(INDEX + k * 32) & mask], 1);
}
__global__ void red_float(float *sums, unsigned mask, int rounds) {
    for (int k = 0; k < rounds; k++)
        atomicAdd(&sums[(INDEX + k * 32) & mask], 1.0f);
}
__global__ void red_random(int *sums, unsigned mask, int rounds) {
    for (int k = 0; k < rounds; k++)
        atomicAdd(&sums[mix((unsigned)INDEX * 64 + k) & mask], 1);
}
// LANES lanes of a warp add to one word; the words of a warp lie `apart` words from each other. All warps add to the same words.
template <class T> __global__ void red_lanes(T *sums, int lanes, int apart, int rounds) {
    T *at = &sums[threadIdx.x % 32 / lanes * apart];
    for (int k = 0; k < rounds; k++)
        atomicAdd(at, (T)1);
}
__global__ void add_return(int *sums, unsigned mask, int rounds, int *out) {
    int sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += atomicAdd(&sums[(INDEX + k * 32) & mask], 1);
    if (sum == -12345)
        *out = sum;
}
template <bool SAME, bool RETURNS> __global__ void shared_adds(int *out, int rounds) {
    __shared__ int t[1024];
    int sum = 0;
    t[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        int *at = &t[SAME ? threadIdx.x / 32 : threadIdx.x];
        if (RETURNS)
            sum += atomicAdd(at, k + threadIdx.x);
        else
            atomicAdd(at, k + threadIdx.x);
    }
    __syncthreads();
    out[INDEX] = t[threadIdx.x] + sum;
}
__global__ void empty() {
}
__global__ void store_one(int *out) {
    if (threadIdx.x == 0)
        out[blockIdx.x & 1023] = 1;
}
__global__ void sleeps(unsigned ns, long long *clocks) {
    long long first = clock64();
    for (int k = 0; k < 8; k++)
        __nanosleep(ns);
    *clocks = clock64() - first;
}

static void bandwidths(class timed::clock &clock, float *out) {
    size_t large = (size_t)1 << 30;
    float4 *a = (float4 *)room<char>(large), *b = (float4 *)room<char>(large);
    int grid = multiprocessors * 8;
    for (size_t mb : {1, 4, 8, 16, 24, 32, 48, 64, 128, 256, 1024}) {
        size_t n = mb << 16;
        std::string name = std::to_string(mb) + " MB";
        say("read, warm, " + name, n * 16 / median(clock, [&] { read4<<<grid, 256>>>(a, n, out); }, false), "bytes/s");
        say("read, cold, " + name, n * 16 / median(clock, [&] { read4<<<grid, 256>>>(a, n, out); }, true), "bytes/s");
        say("write, cold, " + name, n * 16 / median(clock, [&] { write4<<<grid, 256>>>(b, n); }, true), "bytes/s");
        if (mb <= 512) {
            say("copy, cold, both ways, " + name, n * 32 / median(clock, [&] { copy4<<<grid, 256>>>(a, b, n); }, true), "bytes/s");
            say("copy of a float a thread, cold, both ways, " + name, n * 32 / median(clock, [&] { copy1<<<(unsigned)(n / 64), 256>>>((float *)a, (float *)b, n * 4); }, true), "bytes/s");
        }
        say("memset, cold, " + name, n * 16 / median(clock, [&] { cudaMemsetAsync(b, 0, n * 16); }, true), "bytes/s");
        say("device to device, both ways, " + name, n * 32 / median(clock, [&] { cudaMemcpyAsync(b, a, n * 16, cudaMemcpyDeviceToDevice); }, true), "bytes/s");
    }
    say("write of one word of a sector, distinct sectors, L2 holds them", 4194304.0 / median(clock, [&] { write_sectors<<<4194304 / 256, 256>>>((float *)b, 8); }, false, 5), "sectors/s");
    say("write of one word of a sector, 512 MB", 16777216.0 / median(clock, [&] { write_sectors<<<16777216 / 256, 256>>>((float *)b, 8); }, true, 5), "sectors/s");
    for (int count : {1, 2, multiprocessors / 2, multiprocessors, 2 * multiprocessors})
        for (size_t mb : {2, 8, 16, 24, 32, 40, 48}) {
            size_t n = mb << 16;
            int more = count < 3 ? 2 : 20;
            auto time = [&](int rounds) { return median(clock, [&] { read_l2<<<count, 1024>>>(a, n, rounds, out); }, false, 5); };
            say("read past L1, " + std::to_string(mb) + " MB by " + std::to_string(count) + " blocks", n / count * count * 16.0 * more / (time(more + 1) - time(1)), "bytes/s");
        }
    // A block or two a multiprocessor, each over bytes of its own that L1 can't hold but L2 can; and over the same bytes.
    for (int kb : {16, 64, 128, 160, 192, 224, 240, 320, 400}) {
        size_t n = (size_t)kb * 64;
        int rounds = 40;
        auto rate = [&](size_t apart) {
            double t = median(clock, [&] { read_rounds<<<multiprocessors, 1024>>>(a, n, apart, rounds, out); }, false, 5);
            double one = median(clock, [&] { read_rounds<<<multiprocessors, 1024>>>(a, n, apart, 1, out); }, false, 5);
            return n * 16.0 * (rounds - 1) * multiprocessors / (t - one);
        };
        say("read again and again through L1, own " + std::to_string(kb) + " KB a multiprocessor", rate(n), "bytes/s");
        say("read again and again through L1, the same " + std::to_string(kb) + " KB", rate(0), "bytes/s");
    }
}

template <class T> void red_queue(class timed::clock &clock, T *sums, const char *type) {
    for (int apart : {1, 8})
        for (int lanes = 1; lanes <= 32; lanes *= 2) {
            auto time = [&](int rounds) { return median(clock, [&] { red_lanes<<<multiprocessors, 256>>>(sums, lanes, apart, rounds); }, false, 5); };
            say(std::string("red ") + type + ", " + std::to_string(lanes) + " lanes a word, words " + std::to_string(apart) + " apart", (time(24) - time(4)) / (20.0 * 8 * multiprocessors), "seconds a warp");
        }
}

static void atomics(class timed::clock &clock, int *sums, int *out) {
    red_queue(clock, sums, "int");
    red_queue(clock, (unsigned long long *)sums, "64-bit int");
    red_queue(clock, (float *)sums, "float");
    red_queue(clock, (double *)sums, "double");
    int grid = multiprocessors * 4, rounds = 64;
    double n = grid * 256.0 * rounds;
    for (unsigned bits : {0, 3, 5, 8, 12, 16, 20, 23}) {
        unsigned mask = (1u << bits) - 1;
        std::string where = std::to_string(mask + 1ull) + " words";
        int r = bits < 5 ? 8 : rounds;
        double m = n * r / rounds;
        say("red int, in order, " + where, m / median(clock, [&] { red<<<grid, 256>>>(sums, mask, r); }, false, 5), "lanes/s");
        say("red float, in order, " + where, m / median(clock, [&] { red_float<<<grid, 256>>>((float *)sums, mask, r); }, false, 5), "lanes/s");
        say("red int, at random, " + where, m / median(clock, [&] { red_random<<<grid, 256>>>(sums, mask, r); }, false, 5), "lanes/s");
        say("atomicAdd with result, in order, " + where, m / median(clock, [&] { add_return<<<grid, 256>>>(sums, mask, r, out); }, false, 5), "lanes/s");
    }
    for (int threads : {32, 256, 1024}) {
        auto rate = [&](void (*kernel)(int *, int)) {
            double t = median(clock, [&] { kernel<<<multiprocessors, threads>>>(out, 4096); }, false, 5), one = median(clock, [&] { kernel<<<multiprocessors, threads>>>(out, 96); }, false, 5);
            return (t - one) / 4000;
        };
        std::string block = ", block of " + std::to_string(threads);
        say("shared atomicAdd int, own words" + block, rate(shared_adds<false, false>), "seconds a round");
        say("shared atomicAdd int, a word a warp" + block, rate(shared_adds<true, false>), "seconds a round");
        say("shared atomicAdd int with result, own words" + block, rate(shared_adds<false, true>), "seconds a round");
        say("shared atomicAdd int with result, a word a warp" + block, rate(shared_adds<true, true>), "seconds a round");
    }
}

static void launches(class timed::clock &clock, int *out) {
    say("nothing between two events", median(clock, [] {}, true, 31), "seconds");
    say("an empty launch", median(clock, [] { empty<<<1, 32>>>(); }, true, 31), "seconds");
    say("an empty launch, warm", median(clock, [] { empty<<<1, 32>>>(); }, false, 31), "seconds");
    for (int count : {2, 4, 16})
        say(std::to_string(count) + " empty launches", median(clock, [=] { for (int k = 0; k < count; k++) empty<<<1, 32>>>(); }, true, 21), "seconds");
    for (int threads : {32, 128, 256, 512, 1024})
        for (int each : {1, 2, 4, 8, 32, 128})
            say("empty, " + std::to_string(each) + " blocks of " + std::to_string(threads) + " a multiprocessor", median(clock, [=] { empty<<<multiprocessors * each, threads>>>(); }, true, 11), "seconds");
    for (int each : {1, 8, 64})
        say("a store a block, " + std::to_string(each) + " blocks of 256 a multiprocessor", median(clock, [=] { store_one<<<multiprocessors * each, 256>>>(out); }, true, 11), "seconds");
    for (unsigned ns : {0u, 20u, 100u, 200u, 500u, 1000u, 5000u, 20000u}) {
        long long *clocks = room<long long>(1);
        sleeps<<<1, 1>>>(ns, clocks);
        must(cudaDeviceSynchronize(), "nanosleep");
        say("nanosleep of " + std::to_string(ns), back(clocks, 1)[0] / 8.0, "clocks");
    }
}

// ---- what passes between blocks ---------------------------------------------------------------------

// Two blocks answer each other: half a round is a store, its way, and a load that finds it.
template <bool FENCED> __global__ void to_and_fro(volatile int *ping, volatile int *pong, int rounds, long long *clocks) {
    long long first = clock64();
    for (int k = 1; k <= rounds; k++) {
        if (blockIdx.x) {
            while (*ping != k)
                ;
            if (FENCED)
                __threadfence();
            *pong = k;
        } else {
            if (FENCED)
                __threadfence();
            *ping = k;
            while (*pong != k)
                ;
        }
    }
    if (!blockIdx.x)
        *clocks = clock64() - first;
}
template <int WAY> __global__ void alone(volatile int *p, int rounds, long long *clocks) {
    int at = 0;
    long long first = clock64();
    for (int k = 0; k < rounds; k++) {
        if (WAY == 0)
            *p = k, __threadfence();
        if (WAY == 1)
            at = p[at];
        if (WAY == 2)
            at = atomicExch((int *)p + at, 0);
        if (WAY == 3)
            p[32 * (k & 31)] = k, __threadfence(), at = p[at];
    }
    *clocks = clock64() - first + (at == 77);
}
// A lock goes round: all blocks want it again and again.
__global__ void lock_round(int *lock, volatile int *count, int times) {
    for (int k = 0; k < times; k++) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *count = *count + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
// ---- copies by the hardware ---------------------------------------------------------------------------

// One thread copies the same bytes again and again and waits each time: to shared memory, or back.
template <bool BACK> __global__ void bulk(char *data, int bytes, int rounds, long long *clocks) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char t[];
    __shared__ __align__(8) uint64_t barrier;
    unsigned to = (unsigned)__cvta_generic_to_shared(t), at = (unsigned)__cvta_generic_to_shared(&barrier);
    char *from = data + (size_t)blockIdx.x * bytes;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    long long first = clock64();
    for (int k = 0; k < rounds; k++) {
        if (BACK) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(from),
                         "r"(to), "r"(bytes)
                         : "memory");
            continue;
        }
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
                     "r"(bytes), "r"(at)
                     : "memory");
        asm volatile("{ .reg .pred done;\nWAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra WAIT;\n}" ::"r"(at), "r"(k & 1) : "memory");
    }
    if (!blockIdx.x)
        *clocks = clock64() - first;
#endif
}
static void bulk_copies() {
    char *data = room<char>(132 << 15);
    long long *clocks = room<long long>(1);
    for (int blocks : {1, 132})
        for (int bytes : {16, 256, 1024, 4096, 16384, 32768})
            for (int back = 0; back < 2; back++) {
                (back ? bulk<true> : bulk<false>)<<<blocks, 1, 32768>>>(data, bytes, 200, clocks);
                must(cudaDeviceSynchronize(), "bulk copies");
                say(std::string("a bulk copy ") + (back ? "back of " : "of ") + std::to_string(bytes) + " bytes in each of " + std::to_string(blocks) + " blocks",
                    timed::back(clocks, 1)[0] / 200.0, "clocks");
            }
}

static void between_blocks(class timed::clock &clock) {
    int *words = room<int>(4096);
    long long *clocks = room<long long>(1);
    auto run = [&](const char *what, void (*kernel)(volatile int *, volatile int *, int, long long *)) {
        cudaMemset(words, 0, 16384);
        kernel<<<2, 1>>>(words, words + 1024, 1000, clocks);
        must(cudaDeviceSynchronize(), what);
        say(what, back(clocks, 1)[0] / 2000.0, "clocks");
    };
    run("a word from block to block", to_and_fro<false>);
    run("a word from block to block, fenced", to_and_fro<true>);
    auto one = [&](const char *what, void (*kernel)(volatile int *, int, long long *)) {
        cudaMemset(words, 0, 16384);
        kernel<<<1, 1>>>(words, 1000, clocks);
        must(cudaDeviceSynchronize(), what);
        say(what, back(clocks, 1)[0] / 1000.0, "clocks");
    };
    one("a store and a threadfence", alone<0>);
    one("volatile loads of one word, a chain", alone<1>);
    one("atomicExch of one word, a chain", alone<2>);
    one("a store, a threadfence, a volatile load", alone<3>);
    for (int count : {1, 2, 8, 32, 132, 528}) {
        cudaMemset(words, 0, 16384);
        double s = median(clock, [=] { lock_round<<<count, 1>>>(words, words + 1024, 20); }, false, 7);
        say("a lock is taken, " + std::to_string(count) + " blocks", s / count / 20, "seconds");
    }
}

#include <time.h>
static double now() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void host_copies() {
    size_t most = (size_t)256 << 20;
    char *gpu = room<char>(most), *pinned, *paged = (char *)malloc(most);
    must(cudaHostAlloc((void **)&pinned, most, 0), "cudaHostAlloc");
    memset(paged, 1, most);
    memset(pinned, 1, most);
    for (size_t bytes = 4096; bytes <= most; bytes *= 4)
        for (int way = 0; way < 4; way++) {
            std::vector<double> took;
            for (int i = 0; i < 9; i++) {
                char *host = way & 1 ? pinned : paged;
                cudaDeviceSynchronize();
                double start = now();
                must(way & 2 ? cudaMemcpy(host, gpu, bytes, cudaMemcpyDeviceToHost) : cudaMemcpy(gpu, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
                cudaDeviceSynchronize();
                took.push_back(now() - start);
            }
            std::sort(took.begin(), took.end());
            say(std::string(way & 2 ? "device to host, " : "host to device, ") + (way & 1 ? "pinned, " : "pageable, ") + std::to_string(bytes) + " bytes", took[4], "seconds");
        }
}

// With a word, "spread" or "accesses": that part alone.
int main(int argc, char **argv) {
    must(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "the device");
    must(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0), "the size of L2");
    float *out = room<float>(1 << 20);
    const std::string only = argc > 1 ? argv[1] : "";
    static class timed::clock clock;
    if (only != "accesses")
        spreads(out);
    if (only != "spread")
        accesses(clock, (unsigned *)out);
    if (only != "")
        return 0;
    chain_in in = {room<float>(1 << 14), room<int>(1 << 14), 0, 31};
    long long *clocks = room<long long>(4096);
    chains<0>(in, out, clocks);
    for (int threads : {32, 64, 128, 256, 512, 768, 1024}) {
        barriers<<<1, threads>>>(clocks);
        say("syncthreads, a block of " + std::to_string(threads), back(clocks, 1)[0] / 64.0, "clocks");
        int each = 2048 / threads > 8 ? 8 : 2048 / threads;
        barriers<<<multiprocessors * each, threads>>>(clocks);
        say("syncthreads, " + std::to_string(each) + " blocks of " + std::to_string(threads) + " a multiprocessor", back(clocks, 1)[0] / 64.0, "clocks");
    }
    atomics(clock, room<int>(1 << 24), (int *)out);
    launches(clock, (int *)out);
    bulk_copies();
    between_blocks(clock);
    bandwidths(clock, out);
    for (void *p : owned)
        cudaFree(p);
    owned.clear();
    latency("L1, 16 KB", 16 << 10, true, 4000);
    for (size_t mb : {1, 4, 8, 16, 24, 32, 48})
        latency(("L2, " + std::to_string(mb) + " MB").c_str(), mb << 20, false, 400000);
    for (size_t mb : {256, 512})
        latency(("memory, " + std::to_string(mb) + " MB").c_str(), mb << 20, false, 20000);
    host_copies();
    return 0;
}
