/* wgmma.cuh: the warpgroup's product, wgmma.mma_async: D += A B for 64 rows of A. Operands are
 * 128-byte swizzled tiles in shared memory (for TF32 and fp8, A may be in registers). Results are
 * in registers.
 *
 * Element d[4 j + e] of a lane is in row lane / 4 + e / 2 * 8 of its warp's sixteen, and in column
 * 8 j + lane % 4 * 2 + e % 2. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix
 * Instructions". All threads of a warpgroup (four warps, the first a multiple of four) call these
 * together. */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* Names of the first operands, and the operands. */
#define WGMMA_NAMES_32                                                                             \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_NAMES_64                                                                             \
    WGMMA_NAMES_32                                                                                 \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"             \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_NAMES_80                                                                             \
    WGMMA_NAMES_64                                                                                 \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define WGMMA_NAMES_96                                                                             \
    WGMMA_NAMES_80                                                                                 \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_NAMES_112                                                                            \
    WGMMA_NAMES_96                                                                                 \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define WGMMA_NAMES_120                                                                            \
    WGMMA_NAMES_112                                                                                \
    ", %112, %113, %114, %115, %116, %117, %118, %119"
#define WGMMA_NAMES_128                                                                            \
    WGMMA_NAMES_120                                                                                \
    ", %120, %121, %122, %123, %124, %125, %126, %127"
#define WGMMA_4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_8(d, i) WGMMA_4(d, i), WGMMA_4(d, i + 4)
#define WGMMA_16(d, i) WGMMA_8(d, i), WGMMA_8(d, i + 8)
#define WGMMA_32(d, i) WGMMA_16(d, i), WGMMA_16(d, i + 16)
#define WGMMA_64(d, i) WGMMA_32(d, i), WGMMA_32(d, i + 32)

/* Required before the first product, and after changes to a product's registers. */
static __device__ __forceinline__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
/* wgmma_commit() closes a group of products. wgmma_wait<N>() waits until at most N groups are in
 * flight. */
static __device__ __forceinline__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> static __device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/* Describes a 128-byte swizzled operand at shared address `at`, with groups of eight rows 1024
 * bytes apart. Only 18 bits of the address count: above them is the block's rank in its cluster. An
 * operand with rows along k (A, and B in TF32) needs no more. For rows across k (B in bf16: 64
 * columns a row), `block` is the distance in bytes to the next 64 columns.
 */
static __device__ __forceinline__ uint64_t wgmma_operand(uint32_t at, uint32_t block = 16) {
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(block >> 4) << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

/* 64 x 64 to 64 x 256 results. bf16 and fp16 are 16 deep, with A's rows along k and B's across it.
 * fp8 (e4m3) is 32 deep, with both along k. add: adds to D; false: overwrites it. */
#define WGMMA(NAME, DEEP, TYPE, TURNS, COLS, NAMES, A, B, ADD, ...)                                \
    static __device__ __forceinline__ void NAME(float(&d)[COLS / 2], uint64_t a, uint64_t b,       \
                                                bool add) {                                        \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, " ADD ", 0; "                                 \
                     "wgmma.mma_async.sync.aligned.m64n" #COLS DEEP ".f32." TYPE "." TYPE          \
                     " {" NAMES "}, " A ", " B ", p, 1, 1" TURNS "; }"                             \
                     : __VA_ARGS__                                                                 \
                     : "l"(a), "l"(b), "r"((int)add));                                             \
    }
#define WGMMA_WIDTHS(...)                                                                          \
    WGMMA(__VA_ARGS__, 64, WGMMA_NAMES_32, "%32", "%33", "%34", WGMMA_32(d, 0))                    \
    WGMMA(__VA_ARGS__, 128, WGMMA_NAMES_64, "%64", "%65", "%66", WGMMA_64(d, 0))                   \
    WGMMA(__VA_ARGS__, 160, WGMMA_NAMES_80, "%80", "%81", "%82", WGMMA_64(d, 0), WGMMA_16(d, 64))  \
    WGMMA(__VA_ARGS__, 192, WGMMA_NAMES_96, "%96", "%97", "%98", WGMMA_64(d, 0), WGMMA_32(d, 64))  \
    WGMMA(__VA_ARGS__, 224, WGMMA_NAMES_112, "%112", "%113", "%114", WGMMA_64(d, 0),               \
          WGMMA_32(d, 64), WGMMA_16(d, 96))                                                        \
    WGMMA(__VA_ARGS__, 240, WGMMA_NAMES_120, "%120", "%121", "%122", WGMMA_64(d, 0),               \
          WGMMA_32(d, 64), WGMMA_16(d, 96), WGMMA_8(d, 112))                                       \
    WGMMA(__VA_ARGS__, 256, WGMMA_NAMES_128, "%128", "%129", "%130", WGMMA_64(d, 0),               \
          WGMMA_64(d, 64))
WGMMA_WIDTHS(wgmma_bf16, "k16", "bf16", ", 0, 1")
WGMMA_WIDTHS(wgmma_fp16, "k16", "f16", ", 0, 1")
WGMMA_WIDTHS(wgmma_fp8, "k32", "e4m3", "")
#undef WGMMA_WIDTHS
#undef WGMMA

/* 64 x 128 results of fp8 with A in registers: each warp's sixteen rows in ldmatrix's layout. */
static __device__ __forceinline__ void wgmma_fp8(float (&d)[64], const uint32_t (&a)[4], uint64_t b,
                                                 bool add) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %69, 0; "
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" WGMMA_NAMES_64
                 "}, {%64, %65, %66, %67}, %68, p, 1, 1; }"
                 : WGMMA_64(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)add));
}

/* The same, by the type of elements. */
template <int N>
static __device__ __forceinline__ void wgmma(float (&d)[N], uint64_t a, uint64_t b, bool add,
                                             __nv_bfloat16) {
    wgmma_bf16(d, a, b, add);
}
template <int N>
static __device__ __forceinline__ void wgmma(float (&d)[N], uint64_t a, uint64_t b, bool add,
                                             __half) {
    wgmma_fp16(d, a, b, add);
}

/* 64 x 64 to 64 x 256 results of TF32, 8 deep. A lane's elements of A: rows lane / 4 and 8 below at
 * column lane % 4, then both rows four columns further. */
#define WGMMA_TF32(COLS, NAMES, A, B, ADD, ...)                                                    \
    static __device__ __forceinline__ void wgmma_tf32(float(&d)[COLS / 2], const uint32_t(&a)[4],  \
                                                      uint64_t b, bool add) {                      \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, " ADD ", 0; "                                 \
                     "wgmma.mma_async.sync.aligned.m64n" #COLS "k8.f32.tf32.tf32 {" NAMES "}, " A  \
                     ", " B ", p, 1, 1; }"                                                         \
                     : __VA_ARGS__                                                                 \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)add));         \
    }
WGMMA_TF32(64, WGMMA_NAMES_32, "{%32, %33, %34, %35}", "%36", "%37", WGMMA_32(d, 0))
WGMMA_TF32(128, WGMMA_NAMES_64, "{%64, %65, %66, %67}", "%68", "%69", WGMMA_64(d, 0))
WGMMA_TF32(256, WGMMA_NAMES_128, "{%128, %129, %130, %131}", "%132", "%133", WGMMA_64(d, 0),
           WGMMA_64(d, 64))
#undef WGMMA_TF32

#endif
