// Races in global and shared memory, and what only looks like one: each run is one kernel under
// WARPBOOK_SOFTGPU_RACECHECK. A comment at the line tells which run reports it.
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int total;
__device__ unsigned arrived;
__device__ int lock;
__device__ volatile int flag;

__global__ void adds_plainly(const int *in, int *sum) {
    *sum += in[threadIdx.x + blockIdx.x * blockDim.x]; // line 15: blocks, warps, lanes
}
__global__ void adds_to_a_variable(const int *in) {
    total += in[blockIdx.x]; // line 18: variable
}
__global__ void adds_atomically(const int *in, int *sum) {
    atomicAdd(sum, in[threadIdx.x + blockIdx.x * blockDim.x]);
}
__global__ void reads_what_others_add_to(int *sum, int *out) {
    atomicAdd(sum, 1); // line 24: plain_read
    out[threadIdx.x + blockIdx.x * blockDim.x] = *sum;
}

// A sum in two steps within one launch: the second reads what other blocks have written.
__global__ void two_steps(const int *in, int *part, int *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    part[i] = in[i]; // line 31: other_blocks
    __syncthreads();
    int n = blockDim.x * gridDim.x;
    out[i] = part[(i + blockDim.x) % n];
}
__global__ void first_step(const int *in, int *part) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    part[i] = in[i];
}
__global__ void second_step(const int *part, int *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    out[i] = part[(i + blockDim.x) % n];
}
__global__ void grid_barrier(const int *in, int *part, int *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    part[i] = in[i];
    cg::this_grid().sync();
    out[i] = part[(i + blockDim.x) % n];
    cg::this_grid().sync();
    part[i] = 0;
}

// A tree in global memory.
__global__ void tree(int *a, bool wait) {
    int t = threadIdx.x;
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            a[t] += a[t + s]; // line 58: no_barrier
        if (wait)
            __syncthreads();
    }
}

// The last block adds up what the others have left ("threadFenceReduction" of NVIDIA's samples).
__global__ void last_block(const int *in, int *part, int *out, bool fence) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        if (fence)
            __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int b = 0; b < gridDim.x; b++)
            *out += part[b]; // line 76: no_fence
}

__global__ void locked(int *sum, bool fence) {
    if (threadIdx.x % 32)
        return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    if (fence)
        __threadfence();
    *sum += 1; // line 86: lock_without_fence
    if (fence)
        __threadfence();
    atomicExch(&lock, 0);
}

// A warp hands a value to another one of its block, and to another block, by a flag.
__global__ void hands_over(int *value, int *out) {
    if (threadIdx.x == 32 && blockIdx.x == 0) {
        *value = 7;
        __threadfence();
        flag = 1;
    }
    if (threadIdx.x == 0) {
        while (!flag) {
        }
        __threadfence();
        out[blockIdx.x] = *value;
    }
}

__global__ void guesses(int *p) { // as the programming guide builds atomics
    int old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, seen * 3 + 1);
    } while (seen != old);
}

__global__ void bytes(char *c, short *h, bool overlap) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    c[i] = i; // line 117: bytes_overlap
    h[i] = i;
    if (overlap)
        ((short *)c)[i] = 0;
}

__global__ void neighbours(float4 *v, double *d) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    v[i] = make_float4(1, 2, 3, 4);
    d[i] = v[i].x;
}
__global__ void vectors_overlap(float *v) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    *(float2 *)(v + i / 2 * 2) = make_float2(i, i); // line 130: vectors
}

__global__ void votes(int *found) { // one instruction, one value: harmless within a warp
    *found = 1;                     // line 134: votes_of_blocks
}
__global__ void counts_in_shared(const int *in, int *out) {
    __shared__ int bins[4];
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0;
    __syncwarp();
    bins[in[threadIdx.x] % 4]++; // line 141: bins
    __syncwarp();
    if (threadIdx.x < 4)
        out[threadIdx.x] = bins[threadIdx.x];
}
// Lanes of a warp that take turns are in order; bytes of shared memory are each by themselves.
__global__ void turns_in_shared(int *out) {
    __shared__ int s[4];
    __shared__ char done[4];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, seen;
    if (lane == 0)
        s[warp] = warp;
    __syncwarp();
    seen = s[warp];
    __syncwarp();
    if (lane == 5)
        s[warp] = seen + 1;
    done[warp] = 1;
    __syncthreads();
    out[threadIdx.x + blockIdx.x * blockDim.x] = s[3 - warp] + done[warp];
}

// Memory a kernel takes and gives back is another's the next time.
__global__ void own_memory(int *out) {
    int *p = (int *)malloc(64);
    p[3] = threadIdx.x;
    out[threadIdx.x + blockIdx.x * blockDim.x] = p[3];
    free(p);
}

struct Args {
    int *in, *a, *b;
};

static void launch(const char *name, Args x) {
    const bool yes = true;
    void *grid[] = {&x.in, &x.a, &x.b};
#define RUN(NAME, ...)                                                                             \
    if (!strcmp(name, NAME)) {                                                                     \
        __VA_ARGS__;                                                                               \
        return;                                                                                    \
    }
    RUN("blocks", adds_plainly<<<8, 1>>>(x.in, x.a))
    RUN("warps", adds_plainly<<<1, 64>>>(x.in, x.a))
    RUN("lanes", adds_plainly<<<1, 32>>>(x.in, x.a))
    RUN("variable", adds_to_a_variable<<<8, 1>>>(x.in))
    RUN("atomic", adds_atomically<<<8, 64>>>(x.in, x.a))
    RUN("plain_read", reads_what_others_add_to<<<2, 32>>>(x.a, x.b))
    RUN("other_blocks", two_steps<<<4, 64>>>(x.in, x.a, x.b))
    RUN("two_launches", first_step<<<4, 64>>>(x.in, x.a); second_step<<<4, 64>>>(x.a, x.b))
    RUN("grid_barrier", cudaLaunchCooperativeKernel((void *)grid_barrier, 4, 64, grid, 0, 0))
    RUN("no_barrier", tree<<<1, 256>>>(x.a, !yes))
    RUN("barrier", tree<<<1, 256>>>(x.a, yes))
    RUN("no_fence", last_block<<<8, 64>>>(x.in, x.a, x.b, !yes))
    RUN("fence", last_block<<<8, 64>>>(x.in, x.a, x.b, yes))
    RUN("lock_without_fence", locked<<<4, 64>>>(x.a, !yes))
    RUN("lock", locked<<<4, 64>>>(x.a, yes))
    RUN("flag", hands_over<<<4, 64>>>(x.a, x.b))
    RUN("guess", guesses<<<4, 64>>>(x.a))
    RUN("bytes", bytes<<<3, 67>>>((char *)x.a, (short *)x.b, !yes))
    RUN("bytes_overlap", bytes<<<1, 64>>>((char *)x.a, (short *)x.b, yes))
    RUN("neighbours", neighbours<<<4, 33>>>((float4 *)x.a, (double *)x.b))
    RUN("vectors", vectors_overlap<<<1, 32>>>((float *)x.a))
    RUN("votes", votes<<<1, 32>>>(x.a))
    RUN("votes_of_blocks", votes<<<2, 32>>>(x.a))
    RUN("bins", counts_in_shared<<<1, 32>>>(x.in, x.a))
    RUN("turns", turns_in_shared<<<2, 128>>>(x.a))
    RUN("own_memory", own_memory<<<8, 32>>>(x.a))
    printf("no run %s\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    std::vector<int> numbers(4096);
    for (int i = 0; i < 4096; i++)
        numbers[i] = i;
    Args x = {device(numbers), device(numbers), device(numbers)};
    launch(argc > 1 ? argv[1] : "", x);
    CUDA(cudaGetLastError());
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
