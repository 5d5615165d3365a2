// Shuffles, votes, match, redux and the warp's special registers.
#include "check.h"

template <class T> __global__ void shuffles(T *out, const T *in) {
    int i = threadIdx.x;
    T v = in[i];
    out[i] = __shfl_sync(~0u, v, (i * 7 + 3) % 32);
    out[i + 32] = __shfl_up_sync(~0u, v, 3);
    out[i + 64] = __shfl_down_sync(~0u, v, 5);
    out[i + 96] = __shfl_xor_sync(~0u, v, 21);
    out[i + 128] = __shfl_sync(~0u, v, i + 1, 8);
    out[i + 160] = __shfl_up_sync(~0u, v, 2, 4);
    out[i + 192] = __shfl_down_sync(~0u, v, 1, 16);
    out[i + 224] = __shfl_xor_sync(~0u, v, 9, 8);
    out[i + 256] = __shfl_sync(~0u, v, -1);
    out[i + 288] = __shfl_sync(~0u, v, 40, 16);
}

template <class T> void check_shuffles(const char *name) {
    std::vector<T> in(32), want(320);
    for (int i = 0; i < 32; i++)
        in[i] = (T)(i * 1000003 + 17);
    for (int i = 0; i < 32; i++) {
        want[i] = in[(i * 7 + 3) % 32];
        want[i + 32] = in[i < 3 ? i : i - 3];
        want[i + 64] = in[i + 5 > 31 ? i : i + 5];
        want[i + 96] = in[i ^ 21];
        want[i + 128] = in[(i & ~7) | ((i + 1) & 7)];
        want[i + 160] = in[(i & 3) < 2 ? i : i - 2];
        want[i + 192] = in[(i & 15) == 15 ? i : i + 1];
        want[i + 224] = in[(i ^ 9) > (i | 7) ? i : i ^ 9];
        want[i + 256] = in[31];
        want[i + 288] = in[(i & 16) | 8];
    }
    T *out = device<T>(320);
    shuffles<<<1, 32>>>(out, device(in));
    LAUNCHED;
    same(name, fetch(out, 320), want);
}

__global__ void votes(unsigned *out) {
    int i = threadIdx.x;
    unsigned full = ~0u;
    int pred;
    out[i] = __ballot_sync(full, i % 3 == 0);
    out[i + 32] = __all_sync(full, i < 32) | __all_sync(full, i < 31) << 1 | __any_sync(full, i == 31) << 2 |
                  __any_sync(full, i > 31) << 3;
    out[i + 64] = __match_any_sync(full, i % 5);
    out[i + 96] = __match_all_sync(full, 7, &pred) ^ pred;
    out[i + 128] = __match_all_sync(full, i / 31, &pred) + pred;
    out[i + 160] = __match_any_sync(full, (unsigned long long)(i & 1) << 40);
    if (i % 2) { // under divergence, among the odd lanes
        out[i + 192] = __ballot_sync(0xaaaaaaaau, i > 16);
        out[i + 224] = __activemask();
        out[i + 256] = __shfl_sync(0xaaaaaaaau, i * 10, 7);
    } else {
        out[i + 192] = __ballot_sync(0x55555555u, i > 16);
        out[i + 224] = __activemask();
        out[i + 256] = __shfl_sync(0x55555555u, i * 10, 8);
    }
}

__global__ void redux(unsigned *out) {
    int i = threadIdx.x;
    out[i] = __reduce_add_sync(~0u, i);
    out[i + 32] = __reduce_min_sync(~0u, i - 5);
    out[i + 64] = __reduce_max_sync(~0u, (unsigned)(i - 5));
    out[i + 96] = __reduce_and_sync(~0u, 0xff0u | i);
    out[i + 128] = __reduce_or_sync(~0u, 1u << i / 2);
    out[i + 160] = __reduce_xor_sync(~0u, i * i);
    if (i >= 20)
        out[i + 192] = __reduce_add_sync(0xfff00000u, 1u);
    else
        out[i + 192] = __reduce_max_sync(0x000fffffu, -i);
}

// Each lane names the lanes of its own group, at one instruction, as cooperative groups' tiles do.
__global__ void groups(unsigned *out, int from) {
    int i = threadIdx.x, pred, times = 0;
    unsigned tile = 0xffu << (i & 24), strided = 0x11111111u << (i & 3);
    out[i] = __ballot_sync(tile, i % 3 == 0);
    out[i + 32] = __any_sync(tile, i == 9) | __all_sync(tile, i != 9) << 1;
    out[i + 64] = __match_any_sync(tile, i % 4);
    out[i + 96] = __match_all_sync(tile, i / 8 == 2 ? i : 5, &pred);
    out[i + 128] = __reduce_add_sync(tile, i);
    if (i > from) // lanes come on two ways, and each group has some on both
        times = __popc(i);
    out[i + 160] = __ballot_sync(strided, i > from) + times;
    out[i + 192] = 0;
    for (int k = 0; k <= (i & 3); k++) // groups leave one by one
        out[i + 192] += __reduce_max_sync(strided, i);
}

void check_groups() {
    unsigned *out = device<unsigned>(320);
    std::vector<unsigned> want(224);
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned k = i & 24; k < (i & 24) + 8; k++) {
            want[i] |= (unsigned)(k % 3 == 0) << k;
            want[i + 64] |= (unsigned)(k % 4 == i % 4) << k;
            want[i + 128] += k;
        }
        want[i + 32] = i / 8 == 1 ? 1 : 2;
        want[i + 96] = i / 8 == 2 ? 0 : 0xffu << (i & 24);
        for (unsigned k = i & 3; k < 32; k += 4)
            want[i + 160] |= (unsigned)(k > 10) << k;
        want[i + 160] += i > 10 ? __builtin_popcount(i) : 0;
        want[i + 192] = (28 + (i & 3)) * ((i & 3) + 1);
    }
    groups<<<1, 32>>>(out, 10);
    LAUNCHED;
    same("groups", fetch(out, 224), want);
}

__global__ void special(unsigned *out) {
    unsigned i = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    unsigned lane, eq, le, lt, ge, gt, warp, nwarp;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%nwarpid;" : "=r"(nwarp));
    bool right = lane == i % 32 && eq == 1u << lane && lt == eq - 1 && le == (lt | eq) && gt == ~le &&
                 ge == ~lt && warp == i / 32 && nwarp >= 4 && warpSize == 32;
    out[i] = right;
}

int main() {
    check_shuffles<int>("shuffle int");
    check_shuffles<unsigned long long>("shuffle 64");
    check_shuffles<float>("shuffle float");
    check_shuffles<double>("shuffle double");
    unsigned *out = device<unsigned>(320);
    votes<<<1, 32>>>(out);
    LAUNCHED;
    auto v = fetch(out, 288);
    printf("%x %x %x %x %x %x %x %x\n", v[0], v[32], v[64], v[66], v[96], v[128], v[160], v[161]);
    printf("%x %x %x %x %d %d\n", v[193], v[192], v[225], v[224], v[257], v[256]);
    redux<<<1, 32>>>(out);
    LAUNCHED;
    v = fetch(out, 224);
    printf("%u %d %x %x %x %u %d %d\n", v[0], (int)v[32], v[64], v[96], v[128], v[160], (int)v[192], (int)v[212]);
    check_groups();
    special<<<1, dim3(4, 8, 4)>>>(out);
    LAUNCHED;
    same("special", fetch(out, 128), std::vector<unsigned>(128, 1));
}
