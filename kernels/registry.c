/* registry.c: finds a kernel's row, and checks hardware and sizes. */
#include "kernels/registry.h"

#include <stdio.h>
#include <string.h>

/* A row's launchers for one type, or for several. */
#define LAUNCHERS(...)                                                                             \
    { __VA_ARGS__ }
#define FLOAT(launcher) LAUNCHERS([WBK_F32] = launcher)
#define DOUBLE(launcher) LAUNCHERS([WBK_F64] = launcher)
#define BF16(launcher) LAUNCHERS([WBK_BF16] = launcher)
#define FP8(launcher) LAUNCHERS([WBK_FP8] = launcher)
#define BYTES(launcher) LAUNCHERS([WBK_BYTE] = launcher)
#define BOTH(launcher) LAUNCHERS([WBK_F32] = launcher "_f32", [WBK_F64] = launcher "_f64")

static const wbk_kernel ROWS[] = {
#define ROW(lab_, name_, shape_, launchers, title_, teaches_, ...)                                 \
    {.name = name_,                                                                                \
     .lab = lab_,                                                                                  \
     .title = title_,                                                                              \
     .teaches = teaches_,                                                                          \
     .shape = WBK_##shape_,                                                                        \
     .symbol = launchers,                                                                          \
     __VA_ARGS__},
#include "kernels/rows.inc"
};

const wbk_kernel *wbk_kernel_after(const wbk_kernel *kernel) {
    const wbk_kernel *next = kernel ? kernel + 1 : ROWS;
    return next < ROWS + sizeof ROWS / sizeof *ROWS ? next : NULL;
}

const wbk_kernel *wbk_find(const char *name) {
    WBK_EACH(kernel)
    if (strcmp(kernel->name, name) == 0)
        return kernel;
    return NULL;
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
    const char *what =
        kernel->needs == WBK_NEEDS_SM80
            ? "mma.sync of bf16 and TF32, so a GPU of compute capability 8.0 or "
              "later, or softgpu"
            : "Hopper's own instructions (wgmma, setmaxnreg), so a GPU of compute capability "
              "9.0 (H100, H200) and no other";
    if (soft && kernel->needs == WBK_NEEDS_SM90A)
        snprintf(why, why_size, "%s needs %s; this device is softgpu", kernel->name, what);
    else
        snprintf(why, why_size, "%s needs %s; this device is %s, of compute capability %d.%d",
                 kernel->name, what, device, capability / 10, capability % 10);
    return false;
}

bool wbk_takes_size(const wbk_kernel *kernel, wbk_type type, wbk_size size, char *why,
                    size_t why_size) {
    size_t multiple = (size_t)kernel->row_bytes / wbk_type_size(type);
    bool turned = kernel->shape == WBK_GEMM_TURNED; /* its rows are along k */
    if (multiple < 2 || ((turned || size.n % multiple == 0) && size.k % multiple == 0))
        return true;
    if (turned) {
        snprintf(why, why_size, "%s takes k that is a multiple of %zu (rows of %d bytes)",
                 kernel->name, multiple, kernel->row_bytes);
        return false;
    }
    snprintf(why, why_size, "%s takes n and k that are multiples of %zu (rows of %d bytes)",
             kernel->name, multiple, kernel->row_bytes);
    return false;
}

const wbk_kernel *wbk_reference(wbk_shape shape, wbk_type type) {
    /* not a reference of the shape, but what teaches more beside its kernels */
    static const char *const others[WBK_SHAPES] = {
        [WBK_UPDATE] = "coalescing.increment",
        [WBK_ACCESS] = "coalescing.aligned",
        [WBK_ROW_SUMS] = "coalescing.row_sums_packed",
        [WBK_COLUMN_SUMS] = "coalescing.column_sums_lines",
        [WBK_SOFTMAX] = "cuda.memcpy",
    };
    if (others[shape])
        return type == WBK_F32 ? wbk_find(others[shape]) : NULL;
    WBK_EACH(kernel)
    if (kernel->reference && kernel->shape == shape && kernel->symbol[type])
        return kernel;
    return NULL;
}
