/* registry.c: the rows, and what they say of the hardware and sizes a kernel takes. */
#include "kernels/registry.h"

#include <stdio.h>
#include <string.h>

#define FLOAT(launcher)                                                                            \
    { [WBK_F32] = launcher }
#define DOUBLE(launcher)                                                                           \
    { [WBK_F64] = launcher }
#define BOTH(launcher)                                                                             \
    { [WBK_F32] = launcher "_f32", [WBK_F64] = launcher "_f64" }

static const wbk_kernel KERNELS[] = {
    {.name = "coalescing.increment",
     .lab = "coalescing",
     .title = "a[i] += 1, neighbours together",
     .teaches = "idx = threadIdx.x + blockIdx.x * blockDim.x: a warp's 32 floats fill 4 sectors",
     .shape = WBK_UPDATE,
     .symbol = FLOAT("wbk_increment_coalesced_f32"),
     .efficiency = 1},
    {.name = "coalescing.increment_strided",
     .lab = "coalescing",
     .title = "a[i] += 1, neighbours far apart",
     .teaches = "idx = blockIdx.x + blockDim.x * threadIdx.x: each lane needs a sector of its own",
     .shape = WBK_UPDATE,
     .symbol = FLOAT("wbk_increment_strided_f32"),
     .efficiency = 128.0 / 1024},
    {.name = "coalescing.aligned",
     .lab = "coalescing",
     .title = "out[i] = in[i]",
     .teaches = "aligned, consecutive: nothing is moved that is not wanted",
     .shape = WBK_ACCESS,
     .symbol = FLOAT("wbk_access_offset_f32"),
     .efficiency = 1},
    {.name = "coalescing.misaligned",
     .lab = "coalescing",
     .title = "out[i] = in[i + 1]",
     .teaches = "one float past a sector's start costs a fifth sector",
     .shape = WBK_ACCESS,
     .symbol = FLOAT("wbk_access_offset_f32"),
     .by = 1,
     .efficiency = 256.0 / 288},
    {.name = "coalescing.offset_32_bytes",
     .lab = "coalescing",
     .title = "out[i] = in[i + 8]",
     .teaches = "32 bytes on, a sector starts again: 4 sectors, in two lines",
     .shape = WBK_ACCESS,
     .symbol = FLOAT("wbk_access_offset_f32"),
     .by = 8,
     .efficiency = 1},
    {.name = "coalescing.offset_128_bytes",
     .lab = "coalescing",
     .title = "out[i] = in[i + 32]",
     .teaches = "128 bytes on, a line starts again: as good as no offset",
     .shape = WBK_ACCESS,
     .symbol = FLOAT("wbk_access_offset_f32"),
     .by = 32,
     .efficiency = 1},
    {.name = "coalescing.stride_2",
     .lab = "coalescing",
     .title = "out[i] = in[2 i]",
     .teaches = "every other float: twice the sectors",
     .shape = WBK_ACCESS,
     .symbol = FLOAT("wbk_access_strided_f32"),
     .by_stride = true,
     .by = 2,
     .efficiency = 256.0 / 384},
    {.name = "coalescing.stride_8",
     .lab = "coalescing",
     .title = "out[i] = in[8 i]",
     .teaches = "a sector a lane: as bad as it gets",
     .shape = WBK_ACCESS,
     .symbol = FLOAT("wbk_access_strided_f32"),
     .by_stride = true,
     .by = 8,
     .efficiency = 256.0 / 1152},
    {.name = "coalescing.stride_32",
     .lab = "coalescing",
     .title = "out[i] = in[32 i]",
     .teaches = "a line a lane: no more sectors than stride 8",
     .shape = WBK_ACCESS,
     .symbol = FLOAT("wbk_access_strided_f32"),
     .by_stride = true,
     .by = 32,
     .efficiency = 256.0 / 1152},
    {.name = "coalescing.row_sums",
     .lab = "coalescing",
     .title = "row sums, a thread a row",
     .teaches = "a thread that walks along memory puts its neighbours a row apart",
     .shape = WBK_ROW_SUMS,
     .symbol = FLOAT("wbk_row_sums_f32"),
     .efficiency = 128.0 / 1024},
    {.name = "coalescing.row_sums_warp",
     .lab = "coalescing",
     .title = "row sums, a warp a row",
     .teaches = "32 lanes walk along a row side by side and add up with shuffles",
     .shape = WBK_ROW_SUMS,
     .symbol = FLOAT("wbk_row_sums_warp_f32"),
     .efficiency = 1},
    {.name = "coalescing.column_sums",
     .lab = "coalescing",
     .title = "column sums, a thread a column",
     .teaches = "a thread that jumps from row to row has its neighbours beside it",
     .shape = WBK_COLUMN_SUMS,
     .symbol = FLOAT("wbk_column_sums_f32"),
     .efficiency = 1},

    {.name = "transpose.copy",
     .lab = "transpose",
     .title = "copy: the limit",
     .teaches = "what moving every element once costs",
     .shape = WBK_COPY,
     .symbol = BOTH("wbk_transpose_copy")},
    {.name = "transpose.read_coalesced",
     .lab = "transpose",
     .title = "coalesced read, scattered write",
     .teaches = "each lane's store takes a sector of its own",
     .shape = WBK_TRANSPOSE,
     .symbol = BOTH("wbk_transpose_read_coalesced")},
    {.name = "transpose.write_coalesced",
     .lab = "transpose",
     .title = "scattered read, coalesced write",
     .teaches = "scattered loads can be served by the cache, scattered stores can't",
     .shape = WBK_TRANSPOSE,
     .symbol = BOTH("wbk_transpose_write_coalesced")},
    {.name = "transpose.shared",
     .lab = "transpose",
     .title = "shared tile [32][32]",
     .teaches = "both sides coalesced; the tile's columns lie in one bank",
     .shape = WBK_TRANSPOSE,
     .symbol = BOTH("wbk_transpose_shared")},
    {.name = "transpose.padded",
     .lab = "transpose",
     .title = "shared tile [32][33]",
     .teaches = "a column of padding spreads the tile's columns over all banks",
     .shape = WBK_TRANSPOSE,
     .symbol = BOTH("wbk_transpose_padded")},
    {.name = "transpose.padded_8",
     .lab = "transpose",
     .title = "padded, 32 x 8 threads",
     .teaches = "four loads in flight a thread",
     .shape = WBK_TRANSPOSE,
     .symbol = BOTH("wbk_transpose_padded_8")},
    {.name = "transpose.vector",
     .lab = "transpose",
     .title = "16-byte accesses, swizzled tile",
     .teaches = "wide accesses on both sides, no padding, no conflicts",
     .shape = WBK_TRANSPOSE,
     .symbol = BOTH("wbk_transpose_vector")},

    {.name = "reduce.global",
     .lab = "reduce",
     .title = "tree in global memory",
     .teaches = "the parallel sum; every step through memory",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reduce_global")},
    {.name = "reduce.shared",
     .lab = "reduce",
     .title = "static shared memory",
     .teaches = "memory is touched once; passes until one sum is left",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reduce_shared")},
    {.name = "reduce.host_final",
     .lab = "reduce",
     .title = "final sum on the host",
     .teaches = "what a copy to the host and a loop there cost",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reduce_host_final"),
     .waits = true},
    {.name = "reduce.dynamic",
     .lab = "reduce",
     .title = "dynamic shared memory",
     .teaches = "extern __shared__, and the first addition on the way in",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reduce_dynamic")},
    {.name = "reduce.shuffle",
     .lab = "reduce",
     .title = "warp shuffles",
     .teaches = "lanes hand each other registers: one barrier a block",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reduce_shuffle")},
    {.name = "reduce.grid_stride",
     .lab = "reduce",
     .title = "grid-stride loop",
     .teaches = "as many blocks as fit; the tree once a block",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reduce_grid_stride")},
    {.name = "reduce.vector",
     .lab = "reduce",
     .title = "16-byte loads, four in flight",
     .teaches = "enough loads under way to keep the memory busy",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reduce_vector")},

    {.name = "gemm.naive",
     .lab = "gemm",
     .title = "lanes down a column",
     .teaches = "row from threadIdx.x: 32 sectors for every load of A and store of C",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_naive")},
    {.name = "gemm.coalesced_1d",
     .lab = "gemm",
     .title = "lanes along a row, 1-D blocks",
     .teaches = "A by broadcast, B and C in 4 sectors",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_coalesced_1d")},
    {.name = "gemm.coalesced_2d",
     .lab = "gemm",
     .title = "lanes along a row, 2-D blocks",
     .teaches = "the same with dim3(32, 32): x is numbered first",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_coalesced_2d")},
    {.name = "gemm.shared",
     .lab = "gemm",
     .title = "shared 32 x 32 tiles",
     .teaches = "each element fetched once is used 32 times",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_shared")},
    {.name = "gemm.register_1d",
     .lab = "gemm",
     .title = "8 results a thread",
     .teaches = "an element in a register serves eight multiplications",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_register_1d")},
    {.name = "gemm.register_2d",
     .lab = "gemm",
     .title = "8 x 8 results a thread",
     .teaches = "the outer product: 16 reads for 64 multiplications",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_register_2d")},
    {.name = "gemm.tiles",
     .lab = "gemm",
     .title = "128x128x8, float4, A transposed",
     .teaches = "16 bytes a load from both memories",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_tiles")},
    {.name = "gemm.tiles_prefetch",
     .lab = "gemm",
     .title = "and double-buffered",
     .teaches = "the next tile travels while this one is worked on",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_tiles_prefetch")},
    {.name = "gemm.tiles_64",
     .lab = "gemm",
     .title = "the same, 64x64x8 with 4 x 4",
     .teaches = "smaller tiles: more blocks, less reuse",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_tiles_64")},
    {.name = "gemm.warp_tiles",
     .lab = "gemm",
     .title = "warp tiles",
     .teaches = "a compact tile a warp, and tiles that suit the size",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_sgemm_warp_tiles")},
    {.name = "gemm.column_tiles",
     .lab = "gemm",
     .title = "double, column-major, padded tiles",
     .teaches = "lanes run down a column where columns are contiguous",
     .shape = WBK_GEMM_COLUMN,
     .symbol = DOUBLE("wbk_dgemm_column_tiles")},

    {.name = "cuda.memcpy",
     .lab = "transpose",
     .title = "cudaMemcpy, device to device",
     .teaches = "what the driver makes of a copy",
     .shape = WBK_COPY,
     .symbol = BOTH("wbk_reference_memcpy"),
     .reference = true},
    {.name = "cublas.sgeam",
     .lab = "transpose",
     .title = "cuBLAS",
     .teaches = "C = A transposed by the vendor's library",
     .shape = WBK_TRANSPOSE,
     .symbol = FLOAT("wbk_reference_sgeam"),
     .reference = true},
    {.name = "cublas.dgeam",
     .lab = "transpose",
     .title = "cuBLAS",
     .teaches = "C = A transposed by the vendor's library",
     .shape = WBK_TRANSPOSE,
     .symbol = DOUBLE("wbk_reference_dgeam"),
     .reference = true},
    {.name = "cub.reduce",
     .lab = "reduce",
     .title = "cub::DeviceReduce::Sum",
     .teaches = "the vendor's reduction",
     .shape = WBK_REDUCE,
     .symbol = BOTH("wbk_reference_cub"),
     .reference = true},
    {.name = "cublas.sgemm",
     .lab = "gemm",
     .title = "cuBLAS",
     .teaches = "the vendor's library, fp32 throughout",
     .shape = WBK_GEMM,
     .symbol = FLOAT("wbk_reference_sgemm"),
     .reference = true},
    {.name = "cublas.dgemm",
     .lab = "gemm",
     .title = "cuBLAS",
     .teaches = "the vendor's library, column-major",
     .shape = WBK_GEMM_COLUMN,
     .symbol = DOUBLE("wbk_reference_dgemm"),
     .reference = true},
};

enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

const wbk_kernel *wbk_kernels(size_t *n) {
    *n = N_KERNELS;
    return KERNELS;
}

const wbk_kernel *wbk_find(const char *name) {
    for (size_t i = 0; i < N_KERNELS; i++)
        if (strcmp(KERNELS[i].name, name) == 0)
            return &KERNELS[i];
    return NULL;
}

const wbk_kernel *wbk_reference(wbk_shape shape, wbk_type type) {
    static const char *const of_coalescing[WBK_SHAPES] = {
        [WBK_UPDATE] = "coalescing.increment",
        [WBK_ACCESS] = "coalescing.aligned",
        [WBK_ROW_SUMS] = "coalescing.row_sums_warp",
        [WBK_COLUMN_SUMS] = "coalescing.column_sums",
    };
    for (size_t i = 0; i < N_KERNELS; i++)
        if (KERNELS[i].reference && KERNELS[i].shape == shape && KERNELS[i].symbol[type])
            return &KERNELS[i];
    const char *name = of_coalescing[shape];
    return name && type == WBK_F32 ? wbk_find(name) : NULL;
}

const char *wbk_needs_name(wbk_needs needs) {
    return needs == WBK_NEEDS_SM80    ? "compute capability 8.0 or later"
           : needs == WBK_NEEDS_SM90A ? "compute capability 9.0"
                                      : NULL;
}

bool wbk_runs_on(const wbk_kernel *kernel, const char *device, int capability, bool soft, char *why,
                 size_t why_size) {
    if (kernel->needs == WBK_NEEDS_NOTHING ||
        (kernel->needs == WBK_NEEDS_SM80 && capability >= 80) ||
        (kernel->needs == WBK_NEEDS_SM90A && capability == 90 && !soft))
        return true;
    const char *what = kernel->needs == WBK_NEEDS_SM80
                           ? "mma.sync of bf16 and TF32, so a GPU of compute capability 8.0 or "
                             "later, or softgpu"
                           : "wgmma, so a GPU of compute capability 9.0 (H100, H200) and no other";
    if (soft)
        snprintf(why, why_size, "%s needs %s; this device is softgpu", kernel->name, what);
    else
        snprintf(why, why_size, "%s needs %s; this device is %s, of compute capability %d.%d",
                 kernel->name, what, device, capability / 10, capability % 10);
    return false;
}

bool wbk_takes_size(const wbk_kernel *kernel, wbk_type type, wbk_size size, char *why,
                    size_t why_size) {
    size_t multiple = (size_t)kernel->row_bytes / wbk_type_size(type);
    if (multiple < 2 || (size.n % multiple == 0 && size.k % multiple == 0))
        return true;
    snprintf(why, why_size, "%s takes n and k that are multiples of %zu (rows of %d bytes)",
             kernel->name, multiple, kernel->row_bytes);
    return false;
}
