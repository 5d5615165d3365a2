/* shapes.c: names of types and shapes, sizes (read and written), and formulas. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"

/* by wbk_type */
static const struct {
    const char *name;
    size_t bytes;
    int precision;
} TYPES[WBK_TYPES] = {
    [WBK_F32] = {"float", 4, 24}, [WBK_F64] = {"double", 8, 53}, [WBK_BF16] = {"bf16", 2, 8},
    [WBK_TF32] = {"tf32", 4, 11}, [WBK_F16] = {"fp16", 2, 11},   [WBK_BYTE] = {"byte", 1, 8},
    [WBK_FP8] = {"fp8", 1, 4},
};

const char *wbk_type_name(wbk_type type) {
    return TYPES[type].name;
}

bool wbk_parse_type(const char *name, wbk_type *type) {
    for (wbk_type t = 0; t < WBK_TYPES; t++)
        if (strcmp(name, TYPES[t].name) == 0)
            return *type = t, true;
    return false;
}

size_t wbk_type_size(wbk_type type) {
    return TYPES[type].bytes;
}

int wbk_type_precision(wbk_type type) {
    return TYPES[type].precision;
}

wbk_type wbk_result_type(wbk_type type) {
    return type == WBK_FP8 ? WBK_BF16 : type;
}

/* by wbk_shape */
static const struct {
    const char *name;
    int dimensions;
    const char *signature;
} SHAPES[WBK_SHAPES] = {
    [WBK_UPDATE] = {"update", 1, "(T *a, size_t n)"},
    [WBK_ACCESS] = {"access", 1, "(const T *in, T *out, size_t n, int by)"},
    [WBK_ROW_SUMS] = {"row sums", 2, "(const T *in, T *out, [T *work,] int rows, int cols)"},
    [WBK_COLUMN_SUMS] = {"column sums", 2, "(const T *in, T *out, [T *work,] int rows, int cols)"},
    [WBK_COPY] = {"copy", 2, "(const T *in, T *out, int rows, int cols)"},
    [WBK_TRANSPOSE] = {"transpose", 2, "(const T *in, T *out, int rows, int cols)"},
    [WBK_REDUCE] = {"sum", 1, "(const T *in, T *out, T *work, size_t n)"},
    [WBK_MAXIMUM] = {"maximum", 1, "(const T *in, T *out, T *work, size_t n)"},
    [WBK_GEMM] = {"product", 3,
                  "(const T *A, const T *B, T *C, int m, int n, int k, T alpha, T beta)"},
    [WBK_GEMM_COLUMN] = {"column-major product", 3,
                         "(const T *A, const T *B, T *C, int m, int n, int k, T alpha, T beta)"},
    [WBK_SCAN] = {"prefix sums", 1, "(const T *in, T *out, T *work, size_t n)"},
    [WBK_HISTOGRAM] = {"histogram", 1,
                       "(const unsigned char *in, int *bins, [void *work,] size_t n)"},
    [WBK_SOFTMAX] = {"softmax", 2, "(const T *in, T *out, [T *work,] int rows, int cols)"},
    [WBK_GEMM_TURNED] = {"product, B by columns", 3,
                         "(const T *A, const T *B, __nv_bfloat16 *C, int m, int n, int k, float "
                         "alpha, float beta, const float *scale_a, const float *scale_b)"},
    [WBK_GEMM_BATCH] = {"batch of products", 4,
                        "(const T *A, const T *B, T *C, int m, int n, int k, float alpha, float "
                        "beta, int batch, long long stride_a, long long stride_b, long long "
                        "stride_c)"},
};

const char *wbk_shape_name(wbk_shape shape) {
    return SHAPES[shape].name;
}

const char *wbk_shape_signature(wbk_shape shape) {
    return SHAPES[shape].signature;
}

int wbk_dimensions(wbk_shape shape) {
    return SHAPES[shape].dimensions;
}

/* Reads a decimal number and sets its length. Returns NaN if there is none. strtod() would accept
 * 0x10. */
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

/* Parses "1024", "2^24" or "1e8". Returns the text behind it, or NULL. */
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

enum { USUAL_BATCH = 16 };

bool wbk_parse_size(wbk_shape shape, const char *text, wbk_size *size) {
    size_t numbers[4] = {0};
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
    const size_t *sides = wanted == 4 ? numbers + 1 : numbers;
    *size = wanted == 1 ? (wbk_size){.n = numbers[0]}
                        : (wbk_size){.m = sides[0], .n = sides[1], .k = sides[2]};
    if (wanted == 4)
        size->batch = given == 1 ? USUAL_BATCH : numbers[0];
    return wanted == 1 || (size->m <= INT_MAX && size->n <= INT_MAX && size->k <= INT_MAX &&
                           size->batch <= INT_MAX);
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
    case 3:
        snprintf(text, text_size, "%zu × %zu × %zu", size.m, size.n, size.k);
        break;
    default:
        snprintf(text, text_size, "%zu of %zu × %zu × %zu", size.batch, size.m, size.n, size.k);
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
    case WBK_ROW_SUMS: /* WBK_SUMS_WORK in warpbook.h; the cases below are similar */
        return (wbk_elements){.a = s.m * s.n, .c = s.m, .work = 4 * s.n + (1 << 18)};
    case WBK_COLUMN_SUMS:
        return (wbk_elements){.a = s.m * s.n, .c = s.n, .work = 4 * s.n + (1 << 18)};
    case WBK_REDUCE: /* WBK_REDUCE_WORK */
    case WBK_MAXIMUM:
        return (wbk_elements){.a = s.n, .c = 1, .work = s.n + s.n / 64 + 4096};
    case WBK_SCAN: /* WBK_SCAN_WORK */
        return (wbk_elements){.a = s.n, .c = s.n, .work = s.n + s.n / 64 + 4096};
    case WBK_HISTOGRAM: /* 256 counts; the set needs no work memory */
        return (wbk_elements){.a = s.n, .c = 256 * sizeof(int), .work = kernel->work ? 4 << 20 : 0};
    case WBK_SOFTMAX: /* WBK_SOFTMAX_WORK */
        return (wbk_elements){
            .a = s.m * s.n,
            .c = s.m * s.n,
            .work = kernel->work ? s.m * s.n / 2048 + 4 * s.m + 4096 : 0,
        };
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
        return (wbk_elements){.a = s.m * s.k, .b = s.k * s.n, .c = s.m * s.n};
    case WBK_GEMM_TURNED:
        return (wbk_elements){.a = s.m * s.k, .b = s.k * s.n, .c = 2 * s.m * s.n};
    case WBK_GEMM_BATCH:
        return (wbk_elements){
            .a = s.batch * s.m * s.k, .b = s.batch * s.k * s.n, .c = s.batch * s.m * s.n};
    default:
        return (wbk_elements){.a = s.m * s.n, .c = s.m * s.n};
    }
}

bool wbk_takes_work(const wbk_kernel *kernel) {
    return kernel->work || kernel->shape == WBK_REDUCE || kernel->shape == WBK_MAXIMUM ||
           kernel->shape == WBK_SCAN;
}

double wbk_bytes(const wbk_kernel *kernel, wbk_size size, wbk_type type, bool reads_c) {
    wbk_elements e = wbk_buffer_elements(kernel, size);
    double elements = (double)e.a + (double)e.b + (double)e.c;
    if (kernel->shape == WBK_ACCESS) /* without the gaps */
        elements = 2.0 * (double)size.n;
    if (kernel->shape == WBK_UPDATE || (wbk_rate_is_flops(kernel->shape) && reads_c))
        elements += (double)e.c;
    return elements * (double)wbk_type_size(type);
}

double wbk_flops(const wbk_kernel *kernel, wbk_size s) {
    switch (kernel->shape) {
    case WBK_UPDATE:
    case WBK_REDUCE:
    case WBK_MAXIMUM:
        return (double)s.n;
    case WBK_ROW_SUMS:
    case WBK_COLUMN_SUMS:
        return (double)s.m * (double)s.n;
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
    case WBK_GEMM_TURNED:
        return 2.0 * (double)s.m * (double)s.n * (double)s.k;
    case WBK_GEMM_BATCH:
        return 2.0 * (double)s.m * (double)s.n * (double)s.k * (double)s.batch;
    default:
        return 0;
    }
}

bool wbk_rate_is_flops(wbk_shape shape) {
    return shape == WBK_GEMM || shape == WBK_GEMM_COLUMN || shape == WBK_GEMM_TURNED ||
           shape == WBK_GEMM_BATCH;
}
