/* registry.c: finds a kernel's row, and checks hardware and sizes. */
#include "kernels/registry.h"

#include <stdio.h>
#include <string.h>

#include "kernels/rows.h"

const wbk_kernel *wbk_kernel_at(size_t i) {
    const wbk_rows *const all[] = {&WBK_ROWS_MEMORY, &WBK_ROWS_PRODUCTS, &WBK_ROWS_REFERENCES};
    for (size_t part = 0; part < sizeof all / sizeof *all; i -= all[part++]->n)
        if (i < all[part]->n)
            return &all[part]->rows[i];
    return NULL;
}

const wbk_kernel *wbk_find(const char *name) {
    const wbk_kernel *kernel;
    for (size_t i = 0; (kernel = wbk_kernel_at(i)) != NULL; i++)
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
    static const char *const others[WBK_SHAPES] = {
        [WBK_UPDATE] = "coalescing.increment",
        [WBK_ACCESS] = "coalescing.aligned",
        [WBK_ROW_SUMS] = "coalescing.row_sums_packed",
        [WBK_COLUMN_SUMS] = "coalescing.column_sums_lines",
        [WBK_SOFTMAX] = "cuda.memcpy",
    };
    const wbk_kernel *kernel;
    for (size_t i = 0; (kernel = wbk_kernel_at(i)) != NULL; i++)
        if (kernel->reference && kernel->shape == shape && kernel->symbol[type])
            return kernel;
    const char *name = others[shape];
    return name && type == WBK_F32 ? wbk_find(name) : NULL;
}
