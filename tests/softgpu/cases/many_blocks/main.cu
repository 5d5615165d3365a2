// Many blocks on few registers: what softgpu computes once for all blocks of a warp (values of the
// thread's place, parameters and constants) must be right in each of them, also where some lanes
// never come by, where a register is written twice, and in a block's last, smaller warp.
#include "check.h"

#define BOTH __host__ __device__

struct place {
    int t, nt, b, nb;
};

// The place in the block alone, under conditions that differ from lane to lane.
BOTH int of_thread(place p, int n, int d) {
    int x = p.t * 3 + n, y = p.t << 4 ^ n;
    if (p.t % 5 == 2)
        x = d ? y / d : y;
    if (p.t > p.nt / 2)
        y = x * n - p.t;
    return x ^ y;
}

// The same, mixed with the block's number; the second loop goes through values of the first.
BOTH int of_block(place p, int n, int d) {
    int sum = p.b;
    for (int k = p.t & 3; k < n; k += 3)
        sum += k * p.t + (p.b ^ k);
    for (int k = 0; k < p.b % 4; k++)
        sum = sum * 5 + (p.t >> k) - d;
    return p.b == p.nb - 1 ? -sum : sum;
}

__global__ void run(int *out, int n, int d) {
    place p = {(int)threadIdx.x, (int)blockDim.x, (int)blockIdx.x, (int)gridDim.x};
    out[(p.b * p.nt + p.t) * 2] = of_thread(p, n, d);
    out[(p.b * p.nt + p.t) * 2 + 1] = of_block(p, n, d);
}

// PTX as no compiler writes it: a result before a loop that changes it, a second writer under a
// guard, a division that nobody reaches, a comparison whose branch is also jumped to, one that is not
// all its branch asks for, and the block's number read by something other than a mov.
__global__ void forms(int *out, int n, int zero) {
    int t = threadIdx.x, b = blockIdx.x, r;
    asm volatile("{\n"
                 ".reg .pred p, q;\n"
                 ".reg .b32 once, twice, turn, quotient, sum, block;\n"
                 ".reg .b64 wide;\n"
                 "mul.lo.s32 once, %1, 7;\n"
                 "add.s32 twice, %1, 1;\n"
                 "setp.lt.s32 q, %1, 9;\n"
                 "@q mov.u32 twice, %2;\n"
                 "mov.u32 sum, %2;\n"
                 "mov.u32 turn, 0;\n"
                 "mov.u32 quotient, 1;\n"
                 "setp.eq.s32 p, %4, 0;\n"
                 "@p bra SKIP;\n"
                 "div.s32 quotient, once, %4;\n"
                 "SKIP:\n"
                 "bra TEST;\n"
                 "AGAIN:\n"
                 "mad.lo.s32 sum, turn, once, sum;\n"
                 "add.s32 sum, sum, twice;\n"
                 "add.s32 turn, turn, 1;\n"
                 "setp.lt.s32 p, turn, %3;\n"
                 "BACK:\n"
                 "@p bra AGAIN;\n"
                 "bra END;\n"
                 "TEST:\n"
                 "setp.ge.u32 p, %1, 3;\n"
                 "bra BACK;\n"
                 "END:\n"
                 "add.s32 %0, sum, quotient;\n"
                 "setp.gt.and.s32 p, %1, 4, q;\n"
                 "@p bra DONE;\n"
                 "cvt.u64.u32 wide, %%ctaid.x;\n"
                 "cvt.u32.u64 block, wide;\n"
                 "add.s32 %0, %0, block;\n"
                 "DONE:\n"
                 "}"
                 : "=r"(r)
                 : "r"(t), "r"(b), "r"(n), "r"(zero));
    out[b * blockDim.x + t] = r;
}

static int forms_of(place p, int n) {
    int once = p.t * 7, twice = p.t < 9 ? p.b : p.t + 1, sum = p.b, turn = 0;
    for (bool more = p.t >= 3; more; more = turn < n) {
        sum += turn * once + twice;
        turn++;
    }
    return sum + 1 + (p.t > 4 && p.t < 9 ? 0 : p.b);
}

// The tree of a block: a barrier a step, and every comparison of a warp's fate.
__global__ void tree(const int *in, int *out) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int k = blockDim.x / 2; k; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (!t)
        out[blockIdx.x] = s[0];
}

int main() {
    const int blocks = 301;
    for (int threads : {1, 32, 45, 256}) {
        int n = blocks * threads;
        std::vector<int> want(2 * n), want_forms(n);
        for (int i = 0; i < n; i++) {
            place p = {i % threads, threads, i / threads, blocks};
            want[2 * i] = of_thread(p, 11, 0), want[2 * i + 1] = of_block(p, 11, 0);
            want_forms[i] = forms_of(p, 5);
        }
        int *out = device<int>(2 * n), *out_forms = device<int>(n);
        run<<<blocks, threads>>>(out, 11, 0);
        forms<<<blocks, threads>>>(out_forms, 5, 0);
        LAUNCHED;
        char name[40];
        snprintf(name, sizeof name, "%d threads a block", threads);
        same(name, fetch(out, 2 * n), want);
        same("forms", fetch(out_forms, n), want_forms);
    }
    std::vector<int> in(blocks * 256), sums(blocks);
    for (int i = 0; i < blocks * 256; i++)
        sums[i / 256] += in[i] = i * 2654435761u >> 20;
    int *out = device<int>(blocks);
    tree<<<blocks, 256, 1024>>>(device(in), out);
    LAUNCHED;
    same("tree", fetch(out, blocks), sums);
    return 0;
}
