/* warpbook.h: the precompiled kernels for C and C++ programs and notebook cells.
 *
 *   #include <warpbook.h>
 *
 *   wbk_transpose_padded_f32(in, out, rows, cols);   // and cudaDeviceSynchronize()
 *
 * Every function launches on `stream` (0: the default stream; optional in C++) and does not wait.
 * It returns the launch's result: cudaSuccess, or cudaErrorInvalidValue for unsupported sizes (see
 * below; negative sizes always). All pointers are to device memory. Inputs and outputs must not
 * overlap. A size of zero does nothing, except that an empty sum writes 0.
 *
 * _f32 is float, _f64 is double. Matrices are row-major and dense unless "column" is stated. Link
 * with -lwarpbook_kernels. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
#define WBK_STREAM cudaStream_t stream = 0
extern "C" {
#else
#define WBK_STREAM cudaStream_t stream
#endif

/* Pointers to bfloat16, half and fp8 (e4m3). <cuda_bf16.h>, <cuda_fp16.h> and <cuda_fp8.h> define
 * the types. */
#ifdef __cplusplus
}
struct __nv_bfloat16;
typedef __nv_bfloat16 wbk_bfloat16;
struct __half;
typedef __half wbk_half;
struct __nv_fp8_e4m3;
typedef __nv_fp8_e4m3 wbk_fp8;
extern "C" {
#else
typedef void wbk_bfloat16;
typedef void wbk_half;
typedef void wbk_fp8;
#endif

/* ---- coalescing: the addresses of a warp's lanes -----------------------------------------------
 */

/* a[i] += 1 for all i < n. coalesced: idx = threadIdx.x + blockIdx.x * blockDim.x;
 * strided: idx = blockIdx.x + blockDim.x * threadIdx.x. */
cudaError_t wbk_increment_coalesced_f32(float *a, size_t n, WBK_STREAM);
cudaError_t wbk_increment_strided_f32(float *a, size_t n, WBK_STREAM);

/* out[i] = in[i + offset], 0 <= offset; in holds n + offset floats. */
cudaError_t wbk_access_offset_f32(const float *in, float *out, size_t n, int offset, WBK_STREAM);
/* out[i] = in[i * stride], 1 <= stride; in holds n * stride floats. */
cudaError_t wbk_access_strided_f32(const float *in, float *out, size_t n, int stride, WBK_STREAM);

/* out[r] = sum of row r, by one thread per row or one warp per row. out[c] = sum of column c, by
 * one thread per column. in is rows x cols. */
cudaError_t wbk_row_sums_f32(const float *in, float *out, int rows, int cols, WBK_STREAM);
cudaError_t wbk_row_sums_warp_f32(const float *in, float *out, int rows, int cols, WBK_STREAM);
cudaError_t wbk_column_sums_f32(const float *in, float *out, int rows, int cols, WBK_STREAM);

/* Elements that `work` must have in the functions below. */
#define WBK_SUMS_WORK(rows, cols) (4 * (size_t)(cols) + 262144)

/* The best for most shapes. In order: rows by a warp or a block each, and cut if there are few; the
 * same with rows of up to 512 columns packed in shared memory; columns by slices of rows; columns
 * by strips, one block per multiprocessor; columns by whole lines for rows that start anywhere.
 * Every call gives the same bits. */
cudaError_t wbk_row_sums_group_f32(const float *in, float *out, float *work, int rows, int cols,
                                   WBK_STREAM);
cudaError_t wbk_row_sums_packed_f32(const float *in, float *out, float *work, int rows, int cols,
                                    WBK_STREAM);
cudaError_t wbk_column_sums_slices_f32(const float *in, float *out, float *work, int rows, int cols,
                                       WBK_STREAM);
cudaError_t wbk_column_sums_clusters_f32(const float *in, float *out, float *work, int rows,
                                         int cols, WBK_STREAM);
cudaError_t wbk_column_sums_lines_f32(const float *in, float *out, float *work, int rows, int cols,
                                      WBK_STREAM);

/* ---- transpose: in is rows x cols, out is cols x rows ------------------------------------------
 */

#define WBK_TRANSPOSE(name)                                                                        \
    cudaError_t wbk_transpose_##name##_f32(const float *in, float *out, int rows, int cols,        \
                                           WBK_STREAM);                                            \
    cudaError_t wbk_transpose_##name##_f64(const double *in, double *out, int rows, int cols,      \
                                           WBK_STREAM)
WBK_TRANSPOSE(copy);            /* the limit: out = in, not transposed */
WBK_TRANSPOSE(read_coalesced);  /* coalesced read, scattered write */
WBK_TRANSPOSE(write_coalesced); /* scattered read, coalesced write */
WBK_TRANSPOSE(shared);          /* a shared tile [32][32] with bank conflicts */
WBK_TRANSPOSE(padded);          /* a shared tile [32][33] without bank conflicts */
WBK_TRANSPOSE(padded_8);        /* the same by 32 x 8 threads with four elements each */
WBK_TRANSPOSE(vector);          /* 16-byte accesses, a swizzled tile */
WBK_TRANSPOSE(down_columns);    /* the same with blocks numbered down the columns */
WBK_TRANSPOSE(kept);            /* the same with loads that stay in L2 */
WBK_TRANSPOSE(two_streams);     /* the same with two columns of tiles for rows of 128 KB */
WBK_TRANSPOSE(any_shape);       /* fast for unaligned rows too */
WBK_TRANSPOSE(by_size);         /* the best kernel for the size */

/* ---- reduce: *out = in[0] + ... + in[n - 1] ----------------------------------------------------
 */

/* Elements that `work` must have for a sum of n. */
#define WBK_REDUCE_WORK(n) ((size_t)(n) + (size_t)(n) / 64 + 4096)

#define WBK_REDUCE(name)                                                                           \
    cudaError_t wbk_reduce_##name##_f32(const float *in, float *out, float *work, size_t n,        \
                                        WBK_STREAM);                                               \
    cudaError_t wbk_reduce_##name##_f64(const double *in, double *out, double *work, size_t n,     \
                                        WBK_STREAM)
WBK_REDUCE(global);      /* the tree in global memory */
WBK_REDUCE(shared);      /* the tree in static shared memory; all on the device */
WBK_REDUCE(host_final);  /* the final sum on the host: waits */
WBK_REDUCE(dynamic);     /* extern __shared__ */
WBK_REDUCE(shuffle);     /* warp shuffles instead of shared memory */
WBK_REDUCE(grid_stride); /* as many blocks as fit, a loop in each thread */
WBK_REDUCE(vector);      /* 16-byte loads, several in flight */
WBK_REDUCE(slices);      /* eight loads in flight, a slice of memory per block */
WBK_REDUCE(overlap);     /* second launch hidden: the best; same bits each call */
/* *out = the greatest element. NaN is ignored; -infinity if there is no other element; +0 above
 * -0. */
WBK_REDUCE(maximum);

/* ---- gemm: C = alpha A B + beta C; A is m x k, B is k x n, C is m x n --------------------------
 */

/* If beta is 0, C is not read. If alpha is 0, A and B are not read. They may then contain anything,
 * including NaN (the BLAS rules). */
#define WBK_GEMM(name, type)                                                                       \
    cudaError_t wbk_##name(const type *A, const type *B, type *C, int m, int n, int k, type alpha, \
                           type beta, WBK_STREAM)
WBK_GEMM(sgemm_naive, float);          /* a thread per element, lanes down a column: uncoalesced */
WBK_GEMM(sgemm_coalesced_1d, float);   /* lanes along a row; one-dimensional blocks of 32*32 */
WBK_GEMM(sgemm_coalesced_2d, float);   /* the same with dim3(32, 32) */
WBK_GEMM(sgemm_shared, float);         /* 32 x 32 tiles in shared memory */
WBK_GEMM(sgemm_register_1d, float);    /* 8 results per thread, in a column */
WBK_GEMM(sgemm_register_2d, float);    /* 128x128x8 tiles, 8 x 8 results per thread */
WBK_GEMM(sgemm_tiles, float);          /* the same with float4 loads, A's tile transposed */
WBK_GEMM(sgemm_tiles_prefetch, float); /* the same with two buffers: prefetches the next tile */
WBK_GEMM(sgemm_tiles_64, float);       /* the same template at 64x64x8, 4 x 4 results, prefetch */
WBK_GEMM(sgemm_warp_tiles, float);     /* warp tiles, sizes that suit the problem */
WBK_GEMM(sgemm_async, float);          /* 128x128x16 tiles by asynchronous copies, three buffers */
/* The next four support k up to 2^24 - 1 and n up to 2^26 - 1. */
WBK_GEMM(sgemm_registers, float); /* 128x256x8 tiles, 8 x 16 results per thread, in serpentines */
WBK_GEMM(sgemm_slices, float);    /* small tiles; the warps of a block divide k */
WBK_GEMM(sgemm_stream_k, float);  /* whole tiles, and the last ones in equal shares of steps */
WBK_GEMM(sgemm_parts, float);     /* eight kinds of tiles, k in parts, for any shape */
/* Only compute capability 9.0, with rows of multiples of 16 bytes and aligned pointers. Otherwise
 * like the tensor rungs on wgmma below. */
WBK_GEMM(sgemm_fetcher, float);         /* one warp fetches by TMA, eight multiply; persistent */
WBK_GEMM(sgemm_best, float);            /* the best of these for the size */
WBK_GEMM(dgemm_tensor, double);         /* on tensor cores, from 8.0 on: any shape, the best */
WBK_GEMM(dgemm_tensor_columns, double); /* the same, column-major */
WBK_GEMM(dgemm_column_tiles, double);   /* column-major A, B and C; padded 32 x 32 tiles */

/* On tensor cores. bf16: bfloat16 in memory, summed in fp32 and rounded once at the end. tf32:
 * float in memory, of which the leading 11 significant bits are multiplied, summed in fp32. Returns
 * cudaErrorNotSupported if the device lacks what a kernel needs: compute capability 8.0 or later
 * for wmma, mma, direct, parts and by_size; only 9.0 for those on wgmma. The latter need rows of A,
 * B and C that are multiples of 16 bytes (n and k of 8, tf32 of 4) and aligned pointers. Otherwise
 * they return cudaErrorInvalidValue. */
#define WBK_TENSOR_OF(name, type)                                                                  \
    cudaError_t wbk_gemm_##name(const type *A, const type *B, type *C, int m, int n, int k,        \
                                float alpha, float beta, WBK_STREAM)
#define WBK_TENSOR(name) WBK_TENSOR_OF(name##_bf16, wbk_bfloat16)
#define WBK_HALF(name) WBK_TENSOR_OF(name##_fp16, wbk_half)
WBK_TENSOR(wmma);        /* a warp multiplies 16x16x16 */
WBK_TENSOR(mma);         /* mma.sync, ldmatrix, cp.async in three stages */
WBK_TENSOR(wgmma);       /* a warpgroup multiplies 64x128x16 from shared memory */
WBK_TENSOR(tma);         /* the same, and one thread fetches whole tiles */
WBK_TENSOR(roles);       /* one warpgroup fetches, two multiply; 128x256 tiles */
WBK_TENSOR(cluster);     /* two blocks share their loads of B */
WBK_TENSOR(persistent);  /* persistent blocks store results during the next tile */
WBK_TENSOR(stream_k);    /* the same, and the last tiles are shared step by step */
WBK_TENSOR(wgmma_parts); /* small tiles by wgmma, k in parts */
WBK_TENSOR(direct);      /* 8.0 or later: small products, memory directly to registers */
WBK_TENSOR(shallow);     /* 8.0 or later, k up to 64: whole pieces of C, any rows */
WBK_TENSOR(parts);       /* 8.0 or later: several kinds of tiles, k in parts, any shape */
WBK_TENSOR(by_size);     /* 8.0 or later, any size: the best of all these */
/* As in bf16. */
WBK_HALF(wgmma_parts);
WBK_HALF(direct);
WBK_HALF(shallow);
WBK_HALF(parts);
WBK_HALF(by_size);
WBK_GEMM(gemm_wmma_tf32, float);
WBK_GEMM(gemm_wgmma_tf32, float);       /* B through registers, TMA, persistent blocks */
WBK_GEMM(gemm_wgmma_parts_tf32, float); /* as wgmma_parts above */
WBK_GEMM(gemm_parts_tf32, float);       /* as parts above */
WBK_GEMM(gemm_by_size_tf32, float);     /* 8.0 or later, any size: the best of these */

/* A batch of products of one shape: stride_a, stride_b and stride_c are the distances in elements
 * between their matrices. With stride_a or stride_b 0 all share A or B. C's must not overlap. Rows
 * of any length; compute capability 8.0 or later. */
#define WBK_BATCHED(type, suffix)                                                                  \
    cudaError_t wbk_gemm_batched_##suffix(                                                         \
        const type *A, const type *B, type *C, int m, int n, int k, float alpha, float beta,       \
        int batch, long long stride_a, long long stride_b, long long stride_c, WBK_STREAM)
WBK_BATCHED(wbk_bfloat16, bf16);
WBK_BATCHED(wbk_half, fp16);
WBK_BATCHED(float, tf32);

/* fp8: bytes of e4m3, B by columns (column j is B + j k), C row-major: C = alpha sa sb A B + beta
 * C. The scales sa and sb are one float each in device memory, or null for 1. If A and B are not
 * read, neither are the scales. Results in bf16 or fp32, summed in fp32. Any size. */
#define WBK_FP8(name)                                                                              \
    cudaError_t wbk_gemm_##name##_bf16(const wbk_fp8 *A, const wbk_fp8 *B, wbk_bfloat16 *C, int m, \
                                       int n, int k, float alpha, float beta,                      \
                                       const float *scale_a, const float *scale_b, WBK_STREAM);    \
    cudaError_t wbk_gemm_##name##_f32(const wbk_fp8 *A, const wbk_fp8 *B, float *C, int m, int n,  \
                                      int k, float alpha, float beta, const float *scale_a,        \
                                      const float *scale_b, WBK_STREAM)
WBK_FP8(fp8_plain); /* without tensor cores: any GPU */
WBK_FP8(fp8);       /* on wgmma on 9.0 if k is a multiple of 16, else as above: the best */
/* Only 9.0, and k a multiple of 16. Sums stay in the tensor cores, with about 14 bits. */
WBK_FP8(fp8_fast);

/* ---- scan: out[i] = in[0] + ... + in[i] --------------------------------------------------------
 */

/* Elements that `work` must have for prefix sums of n, aligned as by cudaMalloc. */
#define WBK_SCAN_WORK(n) ((size_t)(n) + (size_t)(n) / 64 + 4096)

/* Every call gives the same bits. An infinity or a NaN affects only later elements. */
#define WBK_SCAN(name)                                                                             \
    cudaError_t wbk_scan_##name##_f32(const float *in, float *out, float *work, size_t n,          \
                                      WBK_STREAM)
WBK_SCAN(passes);    /* log2 n passes over memory */
WBK_SCAN(shared);    /* chunks in shared memory; scans their sums, then adds them */
WBK_SCAN(tree);      /* the same, by a tree up and down */
WBK_SCAN(shuffle);   /* the same, by warp shuffles */
WBK_SCAN(tiles);     /* 16 elements per thread; reads twice, writes once */
WBK_SCAN(look_back); /* one pass; blocks look back at earlier ones */
WBK_SCAN(groups);    /* the same in two steps: tiles of a group, groups */
WBK_SCAN(ahead);     /* the same with persistent blocks that prefetch the next tile */
WBK_SCAN(by_size);   /* the best for the size */

/* ---- histogram: bins[v] = how many of n bytes are v, for each v of 0 to 255 --------------------
 */

/* n up to 2^31 - 1. Overwrites bins. */
#define WBK_HISTOGRAM(name)                                                                        \
    cudaError_t wbk_histogram_##name##_u8(const unsigned char *in, int *bins, size_t n, WBK_STREAM)
WBK_HISTOGRAM(global); /* additions in global memory */
WBK_HISTOGRAM(shared); /* one histogram per block */
WBK_HISTOGRAM(quads);  /* 16 bytes per load */
WBK_HISTOGRAM(warps);  /* one histogram per warp */
WBK_HISTOGRAM(banks);  /* one histogram per bank of shared memory: the best */

/* ---- softmax: out[r][c] = exp(in[r][c]) over the sum of exp(in[r][...]) ------------------------
 */

/* A NaN or +infinity makes its row NaN, and so does a row of only -infinity. Any other -infinity
 * becomes 0.
 */
#define WBK_SOFTMAX(name)                                                                          \
    cudaError_t wbk_softmax_##name##_f32(const float *in, float *out, int rows, int cols,          \
                                         WBK_STREAM)
WBK_SOFTMAX(passes);    /* one thread per row, three passes */
WBK_SOFTMAX(shared);    /* one block per row, trees in shared memory */
WBK_SOFTMAX(online);    /* one warp per row; the largest and the sum in one pass */
WBK_SOFTMAX(registers); /* one block per row, which is read once */
WBK_SOFTMAX(quads);     /* 16-byte accesses; some lanes, a warp or a block per row */
/* Elements that `work` must have below, aligned as by cudaMalloc. */
#define WBK_SOFTMAX_WORK(rows, cols) ((size_t)(rows) * (cols) / 2048 + 4 * (size_t)(rows) + 4096)
/* The same, and cuts few or long rows: the best. */
cudaError_t wbk_softmax_by_length_f32(const float *in, float *out, float *work, int rows, int cols,
                                      WBK_STREAM);

#undef WBK_SCAN
#undef WBK_HISTOGRAM
#undef WBK_SOFTMAX
#undef WBK_TENSOR_OF
#undef WBK_TENSOR
#undef WBK_HALF
#undef WBK_FP8
#undef WBK_BATCHED
#undef WBK_TRANSPOSE
#undef WBK_REDUCE
#undef WBK_GEMM

#ifdef __cplusplus
}
#endif
#undef WBK_STREAM
