/* registry.h: one row for each kernel of the set and each reference beside it. What `warpbook
 * labs`, `warpbook compare`, %%compare and the tests know about a kernel, they know from here.
 *
 * Plain C without CUDA: the command that lists and compares kernels never loads any. A row names
 * the launcher by its symbol in libwarpbook_kernels.so (or libwarpbook_references.so); its shape
 * says how it is called and what a right answer is. */
#ifndef WARPBOOK_REGISTRY_H
#define WARPBOOK_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the elements are and how they are multiplied. WBK_TF32: floats in memory, of which tensor
 * cores multiply the leading 11 significant bits and add up in fp32. WBK_BF16: bfloat16 in memory,
 * 8 significant bits, added up in fp32 and rounded once; WBK_F16: the same with half precision, 11
 * bits. WBK_FP8: bytes of e4m3, 4 significant bits, whose products are of bfloat16. WBK_BYTE: whole
 * numbers of 0 to 255 that are counted. */
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

/* The hardware a kernel is made for. */
typedef enum wbk_needs {
    WBK_NEEDS_NOTHING,
    WBK_NEEDS_SM80,  /* compute capability 8.0 or later: mma.sync of bf16 and TF32 */
    WBK_NEEDS_SM90A, /* a GPU of compute capability 9.0 and no other: wgmma, setmaxnreg */
} wbk_needs;

/* What a kernel computes, the arguments of its launcher (T is the element type, alpha and beta are
 * float where it is of 16 bits, the stream last and left out here), and the numbers a size consists
 * of. Buffers are called a, b, c below; c is what is written. */
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
    int row_bytes;  /* rows of each matrix must be a multiple of so many bytes long; 0: any */
    bool reference; /* not a kernel of the set but what it is measured against */
    bool waits;     /* the launcher returns only when the result is there */
    bool work;      /* sums of rows or columns, a histogram, a softmax: it takes work memory */
    bool clusters;  /* from 9.0 on its blocks form clusters; without it does another thing */
    bool by_stride; /* WBK_ACCESS: `by` is a stride, otherwise an offset */
    int by;
    double efficiency; /* coalescing: bytes wanted over bytes moved, by theory; 0: not said */
} wbk_kernel;

/* Sizes of one problem. Shapes with one number use n alone; batch counts where the shape is a
 * batch. */
typedef struct wbk_size {
    size_t m, n, k, batch;
} wbk_size;

/* The ith row, labs in teaching order and each lab's kernels from first to best, references last;
 * NULL: there are no more. */
const wbk_kernel *wbk_kernel_at(size_t i);
const wbk_kernel *wbk_find(const char *name); /* NULL: no such kernel */
/* What kernels of this shape and type are measured against, or NULL. */
const wbk_kernel *wbk_reference(wbk_shape shape, wbk_type type);
const char *wbk_type_name(wbk_type type); /* "float", "double", "bf16", "tf32", "fp16", "byte" */
bool wbk_parse_type(const char *name, wbk_type *type);
size_t wbk_type_size(wbk_type type);     /* of an element in memory, in bytes */
int wbk_type_precision(wbk_type type);   /* significant bits that take part in a product */
wbk_type wbk_result_type(wbk_type type); /* of a product of such: itself, of WBK_FP8 WBK_BF16 */

/* "compute capability 9.0", ...; NULL where nothing is needed. */
const char *wbk_needs_name(wbk_needs needs);
/* Whether the kernel can run on this device (capability: 90 for 9.0; soft: it is softgpu). If not,
 * `why` is a sentence that names the kernel, what it needs and what the device is. */
bool wbk_runs_on(const wbk_kernel *kernel, const char *device, int capability, bool soft, char *why,
                 size_t why_size);
/* Whether it takes this size; if not, `why` names the kernel and the sizes it takes. */
bool wbk_takes_size(const wbk_kernel *kernel, wbk_type type, wbk_size size, char *why,
                    size_t why_size);
const char *wbk_shape_name(wbk_shape shape);      /* "sum", "row sums", "product", ... */
const char *wbk_shape_signature(wbk_shape shape); /* for messages: "(const T *in, ...)" */

/* How many of m, n, k the shape uses: 1 (n), 2 (m, n) or 3; 4: and batch. */
int wbk_dimensions(wbk_shape shape);
/* "1024" means 1024 x 1024 (x 1024), of a batch 16 of them; "1024x512", "64x32x16", of a batch
 * "8x64x32x16" with how many first; "2^24", "1e8". False: not a size of
 * this shape, or one beyond 2^31 - 1 in a direction that is an int. */
bool wbk_parse_size(wbk_shape shape, const char *text, wbk_size *size);
/* "1024 × 512"; returns text. */
const char *wbk_format_size(wbk_shape shape, wbk_size size, char *text, size_t text_size);

/* Elements of each buffer; 0: not used. Counts of a histogram are four elements each: bytes;
 * results of fp8 two. */
typedef struct wbk_elements {
    size_t a, b, c, work;
} wbk_elements;
wbk_elements wbk_buffer_elements(const wbk_kernel *kernel, wbk_size size);
/* Whether its launcher takes a pointer to work memory behind that to c. */
bool wbk_takes_work(const wbk_kernel *kernel);

/* The bytes the work must move at least (each input read once, each output written once; C of a
 * GEMM with beta != 0 read too), and its arithmetic (2mnk for a GEMM, an addition an element for
 * sums). Rates are quoted by arithmetic where the shape is a GEMM, else by bytes. */
double wbk_bytes(const wbk_kernel *kernel, wbk_size size, wbk_type type, bool reads_c);
double wbk_flops(const wbk_kernel *kernel, wbk_size size);
bool wbk_rate_is_flops(wbk_shape shape);

#ifdef __cplusplus
}
#endif
#endif
