// Spaces of memory: constants, statics with initial values, dynamic and static shared memory, local
// arrays, vector accesses, managed memory, symbols, and the cache hints and volatile forms of PTX.
#include "check.h"

struct Pair {
    short key;
    double value;
};
__constant__ float coefficients[4] = {1, 2, 4, 8};
__constant__ Pair pairs[2] = {{1, 1.5}, {2, 2.5}};
__constant__ int from_host[64];
__device__ int table[3] = {7, 8, 9};
__device__ int *inside = &table[1];
__device__ const char *message = "message";
__device__ double matrix[2][3] = {{1, 2, 3}, {4, 5}};
__device__ int zeroed[100];
__managed__ int managed = 5;
__managed__ int managed_array[8];
__device__ float4 vec = {1, 2, 3, 4};
__device__ const int *chain[2] = {&table[2], zeroed};

__global__ void statics(double *out) {
    int n = 0;
    for (float c : coefficients)
        out[n++] = c;
    out[n++] = pairs[1].value + pairs[0].key;
    out[n++] = from_host[63];
    out[n++] = *inside;
    out[n++] = message[2];
    out[n++] = matrix[1][1] + matrix[1][2];
    out[n++] = zeroed[99];
    out[n++] = managed++;
    out[n++] = vec.w;
    out[n++] = *chain[0];
    table[2] = 90;
    out[n++] = *chain[0];
    managed_array[3] = 33;
}

__global__ void dynamic_shared(int *out, int n) {
    extern __shared__ int block_shared[];
    int *ints = block_shared;
    double *doubles = (double *)(block_shared + n);
    __shared__ int fixed[32];
    int i = threadIdx.x;
    ints[i] = i;
    doubles[i] = i * 0.5;
    if (i < 32)
        fixed[i] = i * i;
    __syncthreads();
    out[i] = ints[n - 1 - i] + (int)(doubles[n - 1 - i] * 2) + fixed[i % 32];
    unsigned size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    if (size != n * 12u)
        out[i] = -1;
}

__global__ void local_array(int *out, int n) {
    int a[20];
    for (int i = 0; i < 20; i++)
        a[i] = i * threadIdx.x;
    int at = 0;
    for (int i = 0; i < n; i++) {
        at = (at + a[(i * 7 + threadIdx.x) % 20]) % 20;
        a[at] += i;
    }
    int sum = 0;
    for (int v : a)
        sum += v;
    out[threadIdx.x] = sum;
}

int local_array_on_host(int thread, int n) {
    int a[20];
    for (int i = 0; i < 20; i++)
        a[i] = i * thread;
    int at = 0;
    for (int i = 0; i < n; i++) {
        at = (at + a[(i * 7 + thread) % 20]) % 20;
        a[at] += i;
    }
    int sum = 0;
    for (int v : a)
        sum += v;
    return sum;
}

__global__ void vectors(float4 *f4, double2 *d2, uchar4 *c4, short2 *s2, longlong2 *l2, int3 *i3) {
    __shared__ float4 tile[64];
    int i = threadIdx.x;
    float4 f = f4[i];
    tile[63 - i] = f;
    __syncthreads();
    f = tile[i];
    f4[i] = make_float4(f.w, f.z, f.y, f.x);
    double2 d = d2[i];
    d2[i] = make_double2(d.y, d.x);
    uchar4 c = c4[i];
    c4[i] = make_uchar4(c.w, c.x, c.y, c.z);
    short2 s = s2[i];
    s2[i] = make_short2(s.y, s.x);
    longlong2 l = l2[i];
    l2[i] = make_longlong2(l.y, -l.x);
    int3 t = i3[i];
    i3[i] = make_int3(t.z, t.y, t.x);
}

__global__ void hints(const int *in, int *out) {
    int i = threadIdx.x;
    int v = __ldg(in + i) + __ldcg(in + i) + __ldca(in + i) + __ldcs(in + i) + __ldlu(in + i) + __ldcv(in + i);
    __stcg(out + i, v);
    __stwb(out + i + 32, v);
    __stcs(out + i + 64, v);
    __stwt(out + i + 96, v);
    volatile int *w = out + 128;
    w[i] = v;
    w[i] = w[i] + 1;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    int r;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(in + i));
    asm volatile("st.release.sys.global.s32 [%0], %1;" ::"l"(out + 160 + i), "r"(r));
}

__global__ void spaces(int *g, int *out) {
    __shared__ int s;
    int l = 3;
    s = 2;
    __syncthreads();
    int *p[4] = {g, &s, &l, (int *)&coefficients[1]}; // generic addresses of all four
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum = sum * 10 + *p[(i + threadIdx.x) % 3];
    }
    bool right = __isGlobal(p[0]) && __isShared(p[1]) && __isLocal(p[2]) && __isConstant(p[3]) &&
                 !__isGlobal(p[1]) && !__isShared(p[0]);
    out[threadIdx.x] = right ? sum : -1;
}

__global__ void conversions(int *out) {
    __shared__ int s[32];
    int i = threadIdx.x;
    s[i] = i * 3;
    __syncwarp();
    unsigned address = (unsigned)__cvta_generic_to_shared(&s[31 - i]);
    int v;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(address));
    int *back = (int *)__cvta_shared_to_generic(address);
    int again; // the sum of base and offset wraps at 32 bits
    asm volatile("{ .reg .u32 t; sub.u32 t, %1, 40000; ld.shared.b32 %0, [t+40000]; }" : "=r"(again) : "r"(address));
    out[i] = again == v ? v + *back : -1;
}

template <class T> std::vector<T> sequence(size_t n) {
    std::vector<T> v(n);
    for (size_t i = 0; i < n * sizeof(T); i++)
        ((unsigned char *)v.data())[i] = (unsigned char)(i * 37 + (i >> 8)) & 0x3f;
    return v;
}

int main() {
    int host[64];
    for (int i = 0; i < 64; i++)
        host[i] = 100 + i;
    CUDA(cudaMemcpyToSymbol(from_host, host, sizeof host));
    double *d = device<double>(14);
    statics<<<1, 1>>>(d);
    LAUNCHED;
    for (double v : fetch(d, 14))
        printf("%g ", v);
    printf("\n%d %d\n", managed, managed_array[3]);
    managed = 41;
    int got[3];
    CUDA(cudaMemcpyFromSymbol(got, table, sizeof got));
    printf("%d %d %d\n", got[0], got[1], got[2]);
    statics<<<1, 1>>>(d);
    LAUNCHED;
    printf("%d %g\n", managed, fetch(d, 14)[10]);

    int *out = device<int>(512);
    CUDA(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 << 10));
    for (int n : {64, 256}) {
        dynamic_shared<<<1, n, n * 12>>>(out, n);
        LAUNCHED;
        std::vector<int> want(n);
        for (int i = 0; i < n; i++)
            want[i] = 2 * (n - 1 - i) + (i % 32) * (i % 32);
        same("dynamic shared", fetch(out, n), want);
    }
    local_array<<<1, 70>>>(out, 100);
    LAUNCHED;
    std::vector<int> want(70);
    for (int i = 0; i < 70; i++)
        want[i] = local_array_on_host(i, 100);
    same("local", fetch(out, 70), want);

    auto f4 = sequence<float4>(64);
    auto d2 = sequence<double2>(64);
    auto c4 = sequence<uchar4>(64);
    auto s2 = sequence<short2>(64);
    auto l2 = sequence<longlong2>(64);
    auto i3 = sequence<int3>(64);
    auto pf = device(f4);
    auto pd = device(d2);
    auto pc = device(c4);
    auto ps = device(s2);
    auto pl = device(l2);
    auto pi = device(i3);
    vectors<<<1, 64>>>(pf, pd, pc, ps, pl, pi);
    LAUNCHED;
    auto rf = f4;
    for (int i = 0; i < 64; i++) {
        float4 f = f4[63 - i];
        rf[i] = make_float4(f.w, f.z, f.y, f.x);
        d2[i] = make_double2(d2[i].y, d2[i].x);
        c4[i] = make_uchar4(c4[i].w, c4[i].x, c4[i].y, c4[i].z);
        s2[i] = make_short2(s2[i].y, s2[i].x);
        l2[i] = make_longlong2(l2[i].y, -l2[i].x);
        i3[i] = make_int3(i3[i].z, i3[i].y, i3[i].x);
    }
    same("float4", fetch(pf, 64), rf);
    same("double2", fetch(pd, 64), d2);
    same("uchar4", fetch(pc, 64), c4);
    same("short2", fetch(ps, 64), s2);
    same("longlong2", fetch(pl, 64), l2);
    same("int3", fetch(pi, 64), i3);

    std::vector<int> in(32);
    for (int i = 0; i < 32; i++)
        in[i] = i;
    hints<<<1, 32>>>(device(in), out);
    LAUNCHED;
    auto h = fetch(out, 192);
    printf("%d %d %d %d %d %d\n", h[31], h[63], h[95], h[127], h[159], h[191]);
    spaces<<<1, 3>>>(device(std::vector<int>{1}), out);
    LAUNCHED;
    h = fetch(out, 3);
    printf("%d %d %d\n", h[0], h[1], h[2]);
    conversions<<<1, 32>>>(out);
    LAUNCHED;
    printf("%d %d\n", fetch(out, 32)[0], fetch(out, 32)[31]);
    int *both;
    CUDA(cudaMallocManaged(&both, 40));
    both[9] = 9;
    local_array<<<1, 5>>>(both, 3);
    CUDA(cudaDeviceSynchronize());
    printf("%d %d\n", both[4] == local_array_on_host(4, 3), both[9]);
}
