// Integer intrinsics, and the PTX behind them, against plain C++ on the host.
#include "check.h"

#define N 4096
struct In {
    unsigned a, b, c;
    unsigned long long x, y;
};

#define HD __host__ __device__
HD unsigned prmt(unsigned a, unsigned b, unsigned s) {
    unsigned long long v = (unsigned long long)b << 32 | a;
    unsigned r = 0;
    for (int k = 0; k < 4; k++) {
        unsigned sel = s >> 4 * k & 15, byte = v >> 8 * (sel & 7) & 255;
        if (sel & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * k;
    }
    return r;
}
HD int clz32(unsigned v) {
    int n = 0;
    for (unsigned bit = 1u << 31; bit && !(v & bit); bit >>= 1)
        n++;
    return n;
}
HD int popc64(unsigned long long v) {
    int n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}
HD unsigned long long brev64(unsigned long long v) {
    unsigned long long r = 0;
    for (int i = 0; i < 64; i++)
        r |= (v >> i & 1) << (63 - i);
    return r;
}
HD int clamp8(int v) {
    return v < -128 ? -128 : v > 127 ? 127 : v;
}
HD unsigned bytewise(unsigned a, unsigned b, int what) {
    unsigned r = 0;
    for (int k = 0; k < 4; k++) {
        int ua = a >> 8 * k & 255, ub = b >> 8 * k & 255, sa = (signed char)ua, sb = (signed char)ub, v = 0;
        switch (what) {
        case 0: v = ua + ub; break;
        case 1: v = ua - ub; break;
        case 2: v = ua > ub ? ua - ub : ub - ua; break;
        case 3: v = (ua + ub + 1) >> 1; break;
        case 4: v = sa > sb ? sa : sb; break;
        case 5: v = ua < ub ? ua : ub; break;
        case 6: v = ua == ub ? 255 : 0; break;
        case 7: v = clamp8(sa + sb); break;
        case 8: v = ua > ub ? 255 : 0; break;
        }
        r |= (unsigned)(v & 255) << 8 * k;
    }
    return r;
}

enum { OPS = 55 };
HD unsigned halfwise(unsigned a, unsigned b, int k) {
    short sa = (short)a, sb = (short)b;
    unsigned short ua = (unsigned short)a, ub = (unsigned short)b;
    int r = k == 0 ? (sa > sb ? sa : sb) : k == 1 ? (sa < sb ? sa : sb) : k == 2 ? (ua > ub ? ua : ub) : k == 3 ? (ua < ub ? ua : ub) : ua + ub;
    return r & 0xffff;
}

void reference(const In &in, unsigned long long *r) {
    unsigned a = in.a, b = in.b, c = in.c;
    int sa = (int)a, sb = (int)b, sc = (int)c;
    unsigned long long x = in.x, y = in.y;
    long long sx = (long long)x, sy = (long long)y;
    int n = 0;
    r[n++] = prmt(a, b, c);
    r[n++] = clz32(a & c);
    r[n++] = popc64(a);
    r[n++] = popc64(x);
    r[n++] = brev64((unsigned long long)a << 32);
    r[n++] = brev64(x);
    r[n++] = (a & c) ? 32 - clz32((a & c) & -(a & c)) : 0; // ffs
    r[n++] = (x >> 32) ? clz32(x >> 32) : 32 + clz32((unsigned)x);
    unsigned s = c & 31;
    r[n++] = (unsigned)((((unsigned long long)b << 32 | a) << s) >> 32); // funnel shift left, wrapped
    r[n++] = (unsigned)(((unsigned long long)b << 32 | a) >> s);
    unsigned t = c % 64 < 32 ? c % 64 : 32;
    r[n++] = t == 32 ? a : (unsigned)((((unsigned long long)b << 32 | a) << t) >> 32);
    r[n++] = (unsigned)(((unsigned long long)b << 32 | a) >> t);
    r[n++] = (unsigned)((unsigned long long)a * b >> 32);
    r[n++] = (unsigned)((long long)sa * sb >> 32);
    r[n++] = (unsigned long long)((unsigned __int128)x * y >> 64);
    r[n++] = (unsigned long long)((__int128)sx * sy >> 64);
    r[n++] = (unsigned)((a & 0xffffff) * (b & 0xffffff));
    r[n++] = (unsigned)((int)(a << 8) >> 8) * (unsigned)((int)(b << 8) >> 8);
    unsigned d = c, e = c;
    for (int k = 0; k < 4; k++) {
        d += (unsigned)((int)(signed char)(a >> 8 * k) * (int)(signed char)(b >> 8 * k));
        e += (a >> 8 * k & 255) * (b >> 8 * k & 255);
    }
    r[n++] = d;
    r[n++] = e;
    r[n++] = c + (unsigned)((short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8));
    r[n++] = c + (a & 0xffff) * (b >> 16 & 255) + (a >> 16) * (b >> 24);
    r[n++] = (unsigned)(((long long)sa + sb) >> 1);
    r[n++] = (unsigned)(((long long)sa + sb + 1) >> 1);
    r[n++] = (unsigned)((unsigned long long)a + b >> 1);
    r[n++] = (unsigned)((sa > sb ? (unsigned)sa - sb : (unsigned)sb - sa) + c); // sad
    r[n++] = (a > b ? a - b : b - a) + c;
    for (int k = 0; k < 9; k++)
        r[n++] = bytewise(a, b, k);
    for (int k = 0; k < 5; k++)
        r[n++] = halfwise(a, b, k) | halfwise(a >> 16, b >> 16, k) << 16;
    unsigned pos = c & 31, len = c >> 8 & 31;
    r[n++] = len == 0 ? 0 : (pos + len > 32 ? a >> pos : a >> pos & (unsigned)((1ull << len) - 1)); // bfe.u32
    int top = pos + len - 1 < 31 ? pos + len - 1 : 31;
    r[n++] = len == 0 ? 0
                      : (unsigned)(pos + len > 32 ? sa >> pos : (int)(a << (31 - top)) >> (31 - top) >> pos);
    unsigned mask = (unsigned)((((1ull << len) - 1) << pos));
    r[n++] = (b & ~mask) | (a << pos & mask); // bfi
    r[n++] = a == 0 ? ~0u : 31 - clz32(a);    // bfind.u32
    unsigned m = sa < 0 ? ~a : a;
    r[n++] = m == 0 ? ~0u : clz32(m); // bfind.shiftamt.s32
    long long wide = (long long)sa + sb;
    r[n++] = (unsigned)(wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : wide); // add.sat
    wide = (long long)sa - sc;
    r[n++] = (unsigned)(wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : wide);
    r[n++] = (a & b) | (~a & c);            // lop3 0xca
    r[n++] = a ^ b ^ c;                     // lop3 0x96
    r[n++] = (unsigned long long)a * b + y; // mad.wide
    r[n++] = (unsigned)(((unsigned long long)a * b + ((unsigned long long)c << 32)) >> 32);
    r[n++] = (unsigned char)a + 256u * (unsigned char)(b >> 24);
    r[n++] = sb == 0 ? 1 : (unsigned)(sa == INT32_MIN && sb == -1 ? 2 : sa / sb + sa % sb);
    r[n++] = y == 0 ? 1 : (sx == INT64_MIN && sy == -1 ? 2 : (unsigned long long)(sx / sy ^ sx % sy) + x / y + x % y);
}

#define ASM2(op, d, a, b) asm(op " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b))
#define ASM3(op, d, a, b, c) asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c))

__device__ void intrinsics(const In &in, unsigned long long *r) {
    unsigned a = in.a, b = in.b, c = in.c, u;
    int sa = (int)a, sb = (int)b, sc = (int)c;
    unsigned long long x = in.x, y = in.y;
    long long sx = (long long)x, sy = (long long)y;
    int n = 0;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(u) : "r"(a), "r"(b), "r"(c));
    r[n++] = u;
    r[n++] = __clz(a & c);
    r[n++] = __popc(a);
    r[n++] = __popcll(x);
    r[n++] = __brev(a);
    r[n++] = __brevll(x);
    r[n++] = __ffs(a & c);
    r[n++] = __clzll(x);
    r[n++] = __funnelshift_l(a, b, c);
    r[n++] = __funnelshift_r(a, b, c);
    r[n++] = c % 64 < 32 ? __funnelshift_lc(a, b, c % 64) : __funnelshift_lc(a, b, 40);
    r[n++] = c % 64 < 32 ? __funnelshift_rc(a, b, c % 64) : __funnelshift_rc(a, b, 33);
    r[n++] = __umulhi(a, b);
    r[n++] = (unsigned)__mulhi(sa, sb);
    r[n++] = __umul64hi(x, y);
    r[n++] = (unsigned long long)__mul64hi(sx, sy);
    r[n++] = __umul24(a, b);
    r[n++] = (unsigned)__mul24(sa, sb);
    r[n++] = (unsigned)__dp4a(sa, sb, sc);
    r[n++] = __dp4a(a, b, c);
    r[n++] = (unsigned)__dp2a_lo(sa, sb, sc);
    r[n++] = __dp2a_hi(a, b, c);
    r[n++] = (unsigned)__hadd(sa, sb);
    r[n++] = (unsigned)__rhadd(sa, sb);
    r[n++] = __uhadd(a, b);
    r[n++] = (unsigned)__sad(sa, sb, c);
    r[n++] = __usad(a, b, c);
    r[n++] = __vadd4(a, b);
    r[n++] = __vsub4(a, b);
    r[n++] = __vabsdiffu4(a, b);
    r[n++] = __vavgu4(a, b);
    r[n++] = __vmaxs4(a, b);
    r[n++] = __vminu4(a, b);
    r[n++] = __vcmpeq4(a, b);
    r[n++] = __vaddss4(a, b);
    r[n++] = __vcmpgtu4(a, b);
    r[n++] = __vmaxs2(a, b);
    r[n++] = __vmins2(a, b);
    r[n++] = __vmaxu2(a, b);
    r[n++] = __vminu2(a, b);
    r[n++] = __vadd2(a, b);
    unsigned pos = c & 31, len = c >> 8 & 31;
    ASM3("bfe.u32", u, a, pos, len);
    r[n++] = u;
    ASM3("bfe.s32", u, a, pos, len);
    r[n++] = u;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(u) : "r"(a), "r"(b), "r"(pos), "r"(len));
    r[n++] = u;
    asm("bfind.u32 %0, %1;" : "=r"(u) : "r"(a));
    r[n++] = u;
    asm("bfind.shiftamt.s32 %0, %1;" : "=r"(u) : "r"(a));
    r[n++] = u;
    ASM2("add.sat.s32", u, a, b);
    r[n++] = u;
    ASM2("sub.sat.s32", u, a, c);
    r[n++] = u;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(u) : "r"(a), "r"(b), "r"(c));
    r[n++] = u;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(u) : "r"(a), "r"(b), "r"(c));
    r[n++] = u;
    unsigned long long w;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(w) : "r"(a), "r"(b), "l"(y));
    r[n++] = w;
    ASM3("mad.hi.u32", u, a, b, c);
    r[n++] = u;
    r[n++] = __byte_perm(a, b, 0x4470) & 0xff | (__byte_perm(a, b, 0x0007) & 0xff) << 8;
    r[n++] = sb == 0 ? 1 : (unsigned)(sa == INT32_MIN && sb == -1 ? 2 : sa / sb + sa % sb);
    r[n++] = y == 0 ? 1 : (sx == INT64_MIN && sy == -1 ? 2 : (unsigned long long)(sx / sy ^ sx % sy) + x / y + x % y);
}

__global__ void run(const In *in, unsigned long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long r[OPS];
    intrinsics(in[i], r);
    for (int k = 0; k < OPS; k++)
        out[i * OPS + k] = r[k];
}

// 128-bit sums through carries, and shifts by more than the width.
__global__ void carries(const In *in, unsigned long long *out) {
    int i = threadIdx.x;
    unsigned __int128 a = (unsigned __int128)in[i].x << 64 | in[i].y, b = (unsigned __int128)in[i].y << 64 | in[i].a;
    unsigned __int128 s = a + b, d = a - b, m = a * b;
    out[i * 8] = s >> 64, out[i * 8 + 1] = s, out[i * 8 + 2] = d >> 64, out[i * 8 + 3] = d;
    out[i * 8 + 4] = m >> 64, out[i * 8 + 5] = m;
    unsigned u;
    unsigned long long w;
    ASM2("shl.b32", u, in[i].a, in[i].c & 63);
    asm("shr.s64 %0, %1, %2;" : "=l"(w) : "l"(in[i].x), "r"(in[i].c & 127));
    out[i * 8 + 6] = u, out[i * 8 + 7] = w;
}

int main() {
    std::vector<In> in(N);
    Random random(7);
    const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80, 0xff7f, 0x10001};
    for (int i = 0; i < N; i++) {
        in[i] = {(unsigned)random.next(), (unsigned)random.next(), (unsigned)random.next(), random.next(), random.next()};
        if (i < 512)
            in[i] = {edges[i & 7], edges[i >> 3 & 7], edges[i >> 6], (unsigned long long)edges[i & 7] << 32 | edges[i >> 6],
                     (unsigned long long)(long long)(int)edges[i >> 3 & 7]};
        if (i % 5 == 0)
            in[i].y >>= random.next() % 64, in[i].b >>= random.next() % 32;
    }
    In *d = device(in);
    auto *out = device<unsigned long long>((size_t)N * OPS);
    run<<<N / 128, 128>>>(d, out);
    LAUNCHED;
    auto got = fetch(out, (size_t)N * OPS);
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        unsigned long long want[OPS];
        reference(in[i], want);
        for (int k = 0; k < OPS; k++)
            if (got[i * OPS + k] != want[k] && wrong++ < 10)
                printf("op %d of %x %x %x %llx %llx: got %llx, want %llx\n", k, in[i].a, in[i].b, in[i].c,
                       in[i].x, in[i].y, got[i * OPS + k], want[k]);
    }
    printf("%d wrong\n", wrong);
    carries<<<1, 512>>>(d, out);
    LAUNCHED;
    std::vector<unsigned long long> want(512 * 8);
    for (int i = 0; i < 512; i++) {
        unsigned __int128 a = (unsigned __int128)in[i].x << 64 | in[i].y, b = (unsigned __int128)in[i].y << 64 | in[i].a;
        unsigned __int128 s = a + b, dd = a - b, m = a * b;
        unsigned long long v[8] = {(unsigned long long)(s >> 64), (unsigned long long)s, (unsigned long long)(dd >> 64), (unsigned long long)dd,
                                   (unsigned long long)(m >> 64), (unsigned long long)m, 0, 0};
        unsigned s32 = in[i].c & 63, s64 = in[i].c & 127;
        v[6] = s32 > 31 ? 0 : in[i].a << s32;
        v[7] = (unsigned long long)((long long)in[i].x >> (s64 > 63 ? 63 : s64));
        memcpy(&want[i * 8], v, sizeof v);
    }
    same("128 bits", fetch(out, 512 * 8), want);
}
