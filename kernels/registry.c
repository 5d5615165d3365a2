/* registry.c: the rows, and the formulas that follow from a shape. */
#include "kernels/registry.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOTH(launcher)                                                                             \
    { launcher "_f32", launcher "_f64" }
#define FLOAT(launcher)                                                                            \
    { launcher, NULL }
#define DOUBLE(launcher)                                                                           \
    { NULL, launcher }

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

const char *wbk_type_name(wbk_type type) {
    return type == WBK_F64 ? "double" : "float";
}

size_t wbk_type_size(wbk_type type) {
    return type == WBK_F64 ? 8 : 4;
}

const char *wbk_shape_signature(wbk_shape shape) {
    static const char *const signatures[WBK_SHAPES] = {
        [WBK_UPDATE] = "(T *a, size_t n)",
        [WBK_ACCESS] = "(const T *in, T *out, size_t n, int by)",
        [WBK_ROW_SUMS] = "(const T *in, T *out, int rows, int cols)",
        [WBK_COLUMN_SUMS] = "(const T *in, T *out, int rows, int cols)",
        [WBK_COPY] = "(const T *in, T *out, int rows, int cols)",
        [WBK_TRANSPOSE] = "(const T *in, T *out, int rows, int cols)",
        [WBK_REDUCE] = "(const T *in, T *out, T *work, size_t n)",
        [WBK_GEMM] = "(const T *A, const T *B, T *C, int m, int n, int k, T alpha, T beta)",
        [WBK_GEMM_COLUMN] = "(const T *A, const T *B, T *C, int m, int n, int k, T alpha, T beta)",
    };
    return signatures[shape];
}

int wbk_dimensions(wbk_shape shape) {
    switch (shape) {
    case WBK_UPDATE:
    case WBK_ACCESS:
    case WBK_REDUCE:
        return 1;
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
        return 3;
    default:
        return 2;
    }
}

/* One decimal number, its length by `used`; NaN when there is none (strtod would take 0x10). */
static double read_decimal(const char *text, size_t *used) {
    char digits[32], *end = digits;
    *used = strspn(text, "0123456789.e");
    if (*text < '0' || *text > '9' || *used >= sizeof digits)
        return NAN;
    memcpy(digits, text, *used);
    digits[*used] = 0;
    double number = strtod(digits, &end);
    return *end ? NAN : number;
}

/* "1024", "2^24", "1e8"; returns what follows it, or NULL. */
static const char *parse_number(const char *text, size_t *value) {
    size_t used;
    double number = read_decimal(text, &used);
    text += used;
    if (*text == '^') {
        number = pow(number, read_decimal(text + 1, &used));
        text += 1 + used;
    }
    if (!(number >= 0) || number > 1e15 || number != floor(number))
        return NULL;
    *value = (size_t)number;
    return text;
}

bool wbk_parse_size(wbk_shape shape, const char *text, wbk_size *size) {
    size_t numbers[3] = {0};
    int given = 0, wanted = wbk_dimensions(shape);
    for (;;) {
        text = parse_number(text, &numbers[given]);
        if (!text)
            return false;
        given++;
        if (!*text)
            break;
        if (*text++ != 'x' || given == wanted)
            return false;
    }
    if (given != 1 && given != wanted)
        return false;
    for (int i = given; i < wanted; i++)
        numbers[i] = numbers[0];
    *size = wanted == 1 ? (wbk_size){.n = numbers[0]}
                        : (wbk_size){.m = numbers[0], .n = numbers[1], .k = numbers[2]};
    return wanted == 1 || (size->m <= INT_MAX && size->n <= INT_MAX && size->k <= INT_MAX);
}

const char *wbk_format_size(wbk_shape shape, wbk_size size, char *text, size_t text_size) {
    switch (wbk_dimensions(shape)) {
    case 1:
        if (size.n >= 1024 && (size.n & (size.n - 1)) == 0)
            snprintf(text, text_size, "2^%d", (int)log2((double)size.n));
        else
            snprintf(text, text_size, "%zu", size.n);
        break;
    case 2:
        snprintf(text, text_size, "%zu × %zu", size.m, size.n);
        break;
    default:
        snprintf(text, text_size, "%zu × %zu × %zu", size.m, size.n, size.k);
    }
    return text;
}

wbk_elements wbk_buffer_elements(const wbk_kernel *kernel, wbk_size s) {
    switch (kernel->shape) {
    case WBK_UPDATE:
        return (wbk_elements){.c = s.n};
    case WBK_ACCESS:
        return (wbk_elements){.a = kernel->by_stride ? s.n * kernel->by : s.n + kernel->by,
                              .c = s.n};
    case WBK_ROW_SUMS:
        return (wbk_elements){.a = s.m * s.n, .c = s.m};
    case WBK_COLUMN_SUMS:
        return (wbk_elements){.a = s.m * s.n, .c = s.n};
    case WBK_REDUCE: /* warpbook.h's WBK_REDUCE_WORK */
        return (wbk_elements){.a = s.n, .c = 1, .work = s.n / 2 + s.n / 64 + 4096};
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
        return (wbk_elements){.a = s.m * s.k, .b = s.k * s.n, .c = s.m * s.n};
    default:
        return (wbk_elements){.a = s.m * s.n, .c = s.m * s.n};
    }
}

double wbk_bytes(const wbk_kernel *kernel, wbk_size size, wbk_type type, bool reads_c) {
    wbk_elements e = wbk_buffer_elements(kernel, size);
    double elements = (double)e.a + (double)e.b + (double)e.c;
    if (kernel->shape == WBK_ACCESS) /* gaps are not wanted */
        elements = 2.0 * (double)size.n;
    if (kernel->shape == WBK_UPDATE || (wbk_rate_is_flops(kernel->shape) && reads_c))
        elements += (double)e.c;
    return elements * (double)wbk_type_size(type);
}

double wbk_flops(const wbk_kernel *kernel, wbk_size s) {
    switch (kernel->shape) {
    case WBK_UPDATE:
    case WBK_REDUCE:
        return (double)s.n;
    case WBK_ROW_SUMS:
    case WBK_COLUMN_SUMS:
        return (double)s.m * (double)s.n;
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
        return 2.0 * (double)s.m * (double)s.n * (double)s.k;
    default:
        return 0;
    }
}

bool wbk_rate_is_flops(wbk_shape shape) {
    return shape == WBK_GEMM || shape == WBK_GEMM_COLUMN;
}
