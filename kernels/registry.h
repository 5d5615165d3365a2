/* registry.h: one row for each kernel of the set and for each reference. `warpbook labs`, `warpbook
 * compare`, %%compare and the tests use only these rows.
 *
 * Plain C without CUDA, because the command that lists and compares kernels never loads it. A row
 * names the launcher's symbol in libwarpbook_kernels.so (or libwarpbook_references.so). Its shape
 * defines the call and the correct result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the elements and of their product. WBK_TF32: floats, of which tensor cores multiply
 * the leading 11 significant bits and add in fp32. WBK_BF16: bfloat16, 8 significant bits, added in
 * fp32 and rounded once. WBK_F16: the same with half precision, 11 bits. WBK_FP8: bytes of e4m3, 4
 * significant bits, with products in bfloat16. WBK_BYTE: integers from 0 to 255, which are
 * counted. */
typedef enum wbk_type {
    WBK_F32,
    WBK_F64,
    WBK_BF16,
    WBK_TF32,
    WBK_F16,
    WBK_BYTE,
    WBK_FP8,
    WBK_TYPES
} wbk_type;

/* The hardware that a kernel needs. */
typedef enum wbk_needs {
    WBK_NEEDS_NOTHING,
    WBK_NEEDS_SM80,  /* compute capability 8.0 or later: mma.sync of bf16 and TF32 */
    WBK_NEEDS_SM90A, /* a GPU of compute capability 9.0 and no other: wgmma, setmaxnreg */
} wbk_needs;

/* The result of a kernel, and its launcher's arguments without the last one, the stream. T is the
 * element type. alpha and beta are float if T has 16 bits. Buffers are a, b and c; c is written. */
typedef enum wbk_shape {
    WBK_UPDATE,      /* (T *c, size_t n): c[i] += 1 */
    WBK_ACCESS,      /* (const T *a, T *c, size_t n, int by): c[i] = a[i + by] or a[i * by] */
    WBK_ROW_SUMS,    /* (const T *a, T *c, int m, int n): c[r] = sum of row r of a, m x n; with
                        T *work behind c where the row says so */
    WBK_COLUMN_SUMS, /* the same: c[j] = sum of column j */
    WBK_COPY,        /* (const T *a, T *c, int m, int n): c = a */
    WBK_TRANSPOSE,   /* (const T *a, T *c, int m, int n): c = a transposed, n x m */
    WBK_REDUCE,      /* (const T *a, T *c, T *work, size_t n): *c = sum of a */
    WBK_MAXIMUM,     /* the same: *c = the greatest of a that is a number */
    WBK_GEMM,        /* (const T *a, const T *b, T *c, int m, int n, int k, T alpha, T beta) */
    WBK_GEMM_COLUMN, /* the same in column-major order */
    WBK_GEMM_TURNED, /* (const T *a, const T *b, bfloat16 *c, int m, int n, int k, float alpha,
                        float beta, const float *scale_a, const float *scale_b): b by columns,
                        scales on the device or null */
    WBK_GEMM_BATCH,  /* (const T *a, const T *b, T *c, int m, int n, int k, float alpha, float beta,
                        int batch, long long stride_a, stride_b, stride_c) */
    WBK_SCAN,        /* (const T *a, T *c, T *work, size_t n): c[i] = a[0] + ... + a[i] */
    WBK_HISTOGRAM,   /* (const unsigned char *a, int *c, size_t n): c[v] = how many of a are v, 256
                        of them; with void *work behind c where the row says so */
    WBK_SOFTMAX,     /* (const T *a, T *c, int m, int n): c[r][j] = exp(a[r][j]) over the sum of
                        exp(a[r][...]); with T *work behind c where the row says so */
    WBK_SHAPES
} wbk_shape;

typedef struct wbk_kernel {
    const char *name;    /* "transpose.padded": what users type */
    const char *lab;     /* "coalescing", "transpose", "reduce", "scan", "gemm", ... */
    const char *title;   /* a few words for a table */
    const char *teaches; /* one sentence */
    wbk_shape shape;
    const char *symbol[WBK_TYPES]; /* the launcher for each type; NULL: there is none */
    wbk_needs needs;
    int row_bytes;  /* rows of each matrix must be a multiple of this; 0: any */
    bool reference; /* a reference, not a kernel of the set */
    bool waits;     /* the launcher waits for the result */
    bool work;      /* sums of rows or columns, a histogram, a softmax: needs work memory */
    bool clusters;  /* from 9.0 on its blocks form clusters; otherwise it uses another way */
    bool by_stride; /* WBK_ACCESS: `by` is a stride; false: an offset */
    int by;
    double efficiency; /* coalescing: bytes wanted over bytes moved, in theory; 0: none */
} wbk_kernel;

/* The sizes of one problem. Shapes of one dimension use only n. batch is for batches. */
typedef struct wbk_size {
    size_t m, n, k, batch;
} wbk_size;

/* WBK_EACH(kernel) loops over all rows: labs in teaching order, each lab's kernels from first to
 * best, references last. */
#define WBK_EACH(kernel)                                                                           \
    for (const wbk_kernel *kernel = NULL; (kernel = wbk_kernel_after(kernel)) != NULL;)
const wbk_kernel *wbk_kernel_after(const wbk_kernel *kernel); /* NULL stands for both ends */
const wbk_kernel *wbk_find(const char *name);                 /* NULL: no such kernel */
/* Returns the reference for this shape and type, or NULL. */
const wbk_kernel *wbk_reference(wbk_shape shape, wbk_type type);
const char *wbk_type_name(wbk_type type); /* "float", "double", "bf16", "tf32", "fp16", "byte" */
bool wbk_parse_type(const char *name, wbk_type *type);
size_t wbk_type_size(wbk_type type);     /* bytes of an element in memory */
int wbk_type_precision(wbk_type type);   /* significant bits used in a product */
wbk_type wbk_result_type(wbk_type type); /* of a product; WBK_BF16 for WBK_FP8 */

/* Returns "compute capability 9.0" or similar, or NULL for no requirement. */
const char *wbk_needs_name(wbk_needs needs);
/* Returns true if the kernel can run on this device (capability: 90 for 9.0; soft: softgpu). Else
 * `why` names the kernel, its requirement and the device. */
bool wbk_runs_on(const wbk_kernel *kernel, const char *device, int capability, bool soft, char *why,
                 size_t why_size);
/* Returns true if the kernel supports this size. Else `why` names the kernel and the sizes that it
 * supports. */
bool wbk_takes_size(const wbk_kernel *kernel, wbk_type type, wbk_size size, char *why,
                    size_t why_size);
const char *wbk_shape_name(wbk_shape shape);      /* "sum", "row sums", "product", ... */
const char *wbk_shape_signature(wbk_shape shape); /* for messages: "(const T *in, ...)" */

/* Returns how many of m, n, k the shape uses: 1 (n), 2 (m, n) or 3; 4 for a batch. */
int wbk_dimensions(wbk_shape shape);
/* Parses a size. "1024" means 1024 x 1024 (x 1024), in a batch 16 of them; others are "1024x512",
 * "64x32x16", "8x64x32x16" (a batch with its number first), "2^24", "1e8". Returns false if the
 * text is no size of this shape, or an int dimension exceeds 2^31 - 1. */
bool wbk_parse_size(wbk_shape shape, const char *text, wbk_size *size);
/* Writes "1024 × 512". Returns text. */
const char *wbk_format_size(wbk_shape shape, wbk_size size, char *text, size_t text_size);

/* Elements of each buffer; 0: unused. Counts of a histogram take four elements (bytes) each,
 * results of fp8 two. */
typedef struct wbk_elements {
    size_t a, b, c, work;
} wbk_elements;
wbk_elements wbk_buffer_elements(const wbk_kernel *kernel, wbk_size size);
/* Returns true if the launcher takes work memory behind c. */
bool wbk_takes_work(const wbk_kernel *kernel);

/* Return the least bytes to move (each input read once, each output written once; C of a GEMM with
 * beta != 0 read too), and the arithmetic (2mnk for a GEMM, one addition per element for sums).
 * Rates use arithmetic for a GEMM, else bytes. */
double wbk_bytes(const wbk_kernel *kernel, wbk_size size, wbk_type type, bool reads_c);
double wbk_flops(const wbk_kernel *kernel, wbk_size size);
bool wbk_rate_is_flops(wbk_shape shape);

#ifdef __cplusplus
}
#endif
