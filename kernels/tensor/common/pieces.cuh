/* pieces.cuh: stream-K for persistent blocks (see 8_stream_k): each block's steps of each tile, and
 * sums handed from one block to the next. */
#pragma once

#include "gemm/shares.cuh"
#include "hopper.cuh"

/* The first `whole` tiles belong to one block each: to the block's own number and every
 * gridDim.x-th after it, `rounds` times. The steps of the other tiles are laid end to end and cut
 * into shares. The first `longer` shares have `each` + 1 steps, the others `each`. That is at least
 * a tile's steps, so no tile is cut twice. All are 0 if nothing is shared. */
struct Shares {
    int whole, rounds, steps /* in a tile */, each, longer;
    float4 *sums; /* one place per block, for sums handed on */
    int *there;   /* per block: set if they are there */
};

/* Nothing is shared, for shorter code that starts sooner. */
struct Tiles {
    int whole, steps;
};

/* `count` steps of a tile from `begin` on. The last step is followed by the first. */
struct Piece {
    int tile, begin, count;
};

/* 256 threads hand on 128 sums each, which are fetched in slots of 32 each. */
enum { SLOTS = 4, SLOT_SUMS = 32, SLOT_BYTES = 256 * SLOT_SUMS * 4 };

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

static __device__ __forceinline__ int share_begin(const Shares &s, int block) {
    return s.each * block + min(block, s.longer);
}

/* Finds this block's nth piece; returns false if it has fewer. First come its own whole tiles. Then
 * comes its head, the first steps of the tile in which its share ends, for which the next block
 * waits. Then come the whole tiles of its share, and last its tail, the last steps of the tile in
 * which its share begins. A whole tile of a share starts at the step that the head has reached. So
 * at any time all blocks are at one of two places of k, and find in L2 what others have read. */
static __device__ __forceinline__ bool piece_of(const Shares &s, int nth, Piece &p) {
    int tile = blockIdx.x + nth * gridDim.x;
    if (tile < s.whole) {
        p = {tile, 0, s.steps};
        return true;
    }
    if (s.each == 0)
        return false;
    int begin = share_begin(s, blockIdx.x), end = share_begin(s, blockIdx.x + 1);
    int first = (begin + s.steps - 1) / s.steps, last = end / s.steps;
    int head = end - last * s.steps, tail = first * s.steps - begin;
    nth -= s.rounds + (head > 0);
    if (nth < 0)
        p = {s.whole + last, 0, head};
    else if (nth < last - first)
        p = {s.whole + first + nth, head, s.steps};
    else
        p = {s.whole + first - 1, s.steps - tail, tail};
    return nth < last - first + (tail > 0);
}
static __device__ __forceinline__ bool is_head(const Shares &s, const Piece &p) {
    return p.begin + p.count < s.steps;
}
static __device__ __forceinline__ bool is_tail(const Shares &s, const Piece &p) {
    return p.begin > 0 && p.count < s.steps;
}
/* Returns the step of its tile that is the nth of a piece. */
static __device__ __forceinline__ int step_of(const Shares &s, const Piece &p, int nth) {
    int step = p.begin + nth;
    return step < s.steps ? step : step - s.steps;
}

static __device__ __forceinline__ bool piece_of(const Tiles &t, int nth, Piece &p) {
    p = {(int)(blockIdx.x + nth * gridDim.x), 0, t.steps};
    return p.tile < t.whole;
}
static __device__ __forceinline__ bool is_head(const Tiles &, const Piece &) {
    return false;
}
static __device__ __forceinline__ bool is_tail(const Tiles &, const Piece &) {
    return false;
}
static __device__ __forceinline__ int step_of(const Tiles &, const Piece &, int nth) {
    return nth;
}

/* Stores a head's sums at the block's place. Called by each of the eight multiplying warps, 0 to
 * 7. */
static __device__ __forceinline__ void hand_on(const Shares &s, const float (&sum)[128], int warp) {
    float4 *to = s.sums + (size_t)blockIdx.x * (SLOTS * SLOT_BYTES / 16) + threadIdx.x % 32;
    asm volatile("" : "+l"(to)); /* otherwise 32 addresses are computed before the loop and kept */
#pragma unroll
    for (int i = 0; i < 128; i += 4)
        __stcg(&to[i / SLOT_SUMS * (SLOT_BYTES / 16) + (warp * 8 + i / 4 % 8) * 32],
               make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]));
    asm volatile("bar.arrive 3, 288;" ::: "memory");
}
/* Another warp reports that they are there, because the others have no time to wait. */
static __device__ __forceinline__ void tell(const Shares &s) {
    Piece head;
    piece_of(s, s.rounds, head);
    if (s.each == 0 || !is_head(s, head))
        return;
    asm volatile("bar.sync 3, 288;" ::: "memory");
    if (threadIdx.x % 32 == 0)
        asm volatile(
            "griddepcontrol.wait; st.release.gpu.global.b32 [%0], 1;" ::"l"(&s.there[blockIdx.x])
            : "memory");
}
/* The fetching thread, after a tail's steps: fetches slot by slot the sums that the previous block
 * handed on. */
static __device__ __forceinline__ void fetch_sums(uint32_t to, const Shares &s, int slot,
                                                  uint32_t barrier) {
    int before = blockIdx.x - 1, there = 0;
    if (slot == 0) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
        while (!there)
            asm volatile("ld.acquire.gpu.global.b32 %0, [%1];"
                         : "=r"(there)
                         : "l"(&s.there[before])
                         : "memory");
        asm volatile("fence.proxy.async;" ::: "memory"); /* written by ordinary stores */
    }
    barrier_expect(barrier, SLOT_BYTES);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(s.sums + (size_t)(before * SLOTS + slot) * (SLOT_BYTES / 16)),
                 "r"((int)SLOT_BYTES), "r"(barrier)
                 : "memory");
}
/* Adds a slot that has arrived in shared memory at `from`. */
static __device__ __forceinline__ void add_slot(float (&sum)[128], const char *from, int slot,
                                                int warp) {
    const float4 *fours = (const float4 *)from + warp * 8 * 32 + threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < SLOT_SUMS; i += 4) {
        float4 four = fours[i / 4 * 32];
        float *to = &sum[slot * SLOT_SUMS + i];
        to[0] += four.x;
        to[1] += four.y;
        to[2] += four.z;
        to[3] += four.w;
    }
}
#endif

/* Cost of handing sums on, in steps of a tile of 32,768 results: 8 for storing, reporting, fetching
 * and flags. It is doubled, because an idle multiprocessor is no pure loss if power limits the
 * clock. */
enum { SHARING_COST = 16 };

/* Returns how many tiles to share: 0, or those after the last full round plus that round. One more
 * round is added if tails would otherwise wait for their heads. */
static inline int shared_tiles(long long tiles, long long steps, int processors) {
    long long rest = tiles % processors;
    if (rest == 0 || tiles < processors || 3 * processors * steps > 1 << 30 ||
        (processors - rest) * steps < SHARING_COST * (long long)processors)
        return 0;
    bool soon = rest * steps < 8 * processors; /* the head is handed on just before */
    return (int)(rest + processors * (soon && tiles >= 2 * processors ? 2 : 1));
}

static __global__ void no_flags(int *flags, int n) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        flags[i] = 0;
}

/* Divides `tiles` tiles among `blocks` blocks, `shared` of them in shares. Returns memory for
 * cudaFreeAsync(), or NULL if nothing is shared, because there is no need or no memory. */
static inline void *deal_out(Shares *s, int tiles, int shared, int steps, int blocks,
                             cudaStream_t stream) {
    *s = {tiles, 0, steps, 0, 0, nullptr, nullptr};
    char *memory = nullptr;
    size_t sums = (size_t)blocks * SLOTS * SLOT_BYTES;
    if (shared == 0 || !(memory = (char *)pool_memory(sums + blocks * sizeof(int), stream)))
        return nullptr;
    s->whole = tiles - shared;
    s->rounds = s->whole / blocks;
    s->each = (int)((long long)shared * steps / blocks);
    s->longer = (int)((long long)shared * steps % blocks);
    s->sums = (float4 *)memory;
    s->there = (int *)(memory + sums);
    no_flags<<<1, 256, 0, stream>>>(s->there, blocks);
    return memory;
}

/* Launches blocks that may start while no_flags still runs. They wait for it with
 * griddepcontrol.wait, and so also for all earlier work. */
template <typename Kernel, typename... Arguments>
static cudaError_t launch_early(Kernel *kernel, int blocks, int threads, int shared_bytes,
                                cudaStream_t stream, Arguments... arguments) {
    cudaLaunchAttribute early = early_start();
    const cudaLaunchConfig_t config = launch_config(&early, blocks, threads, shared_bytes, stream);
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}
