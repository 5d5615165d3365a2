/* copy.c: the calls for copies and fills in one and two dimensions. Each is checked, then captured
 * or run. Each library checks and runs them in its own way (work.h). */
#include "runtime/softgpu/cudart/work.h"

static bool nothing(const rt_extent *e) {
    return e->width == 0 || e->height == 0 || e->depth == 0;
}

bool rt_span(const rt_box *b, const rt_extent *e, size_t *bytes) {
    size_t rows, far;
    if (nothing(e)) {
        *bytes = 0;
        return true;
    }
    return !__builtin_mul_overflow(b->slice, e->depth - 1, &rows) &&
           !__builtin_add_overflow(rows, e->height - 1, &rows) &&
           !__builtin_mul_overflow(rows, b->pitch, &far) &&
           !__builtin_add_overflow(far, e->width, bytes);
}

/* ---- copies ------------------------------------------------------------------------------- */

rt_copy rt_copy_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return (rt_copy){.to = {to, bytes, 1},
                     .from = {(char *)from, bytes, 1},
                     .size = {bytes, 1, 1},
                     .kind = kind};
}

cudaError_t rt_copy_issue(const char *call, const rt_copy *copy, cudaStream_t stream) {
    const rt_work work = {.type = cudaGraphNodeTypeMemcpy, .copy = *copy};
    RT_ALLOWED(rt_stream_check(call, stream));
    cudaError_t code = rt_copy_check(call, copy);
    if (code == cudaSuccess && !nothing(&copy->size) &&
        !rt_capture_work(call, stream, &work, &code))
        rt_copy_run(call, copy);
    return code;
}

static cudaError_t copy_row(const char *call, void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream) {
    const rt_copy copy = rt_copy_row(to, from, bytes, kind);
    return rt_copy_issue(call, &copy, stream);
}

RT_WITH_STREAM(cudaMemcpy, copy_row(__func__, to, from, bytes, kind, stream), void *to,
               const void *from, size_t bytes, enum cudaMemcpyKind kind)

RT_WITH_STREAM(cudaMemcpy2D,
               rt_copy_issue(__func__,
                             &(rt_copy){.to = {to, to_pitch, height},
                                        .from = {(char *)from, from_pitch, height},
                                        .size = {width, height, 1},
                                        .kind = kind},
                             stream),
               void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind)

/* ---- __device__ and __constant__ variables ------------------------------------------------ */

cudaError_t rt_copy_symbol(const char *call, bool to, const void *symbol, const void *memory,
                           size_t bytes, size_t offset, enum cudaMemcpyKind kind, rt_copy *copy) {
    char *address;
    const rt_variable *variable;
    RT_ALLOWED(rt_symbol(call, symbol, offset, bytes, &address, &variable));
    *copy = rt_copy_row(to ? address : (void *)memory, to ? memory : address, bytes, kind);
    *(to ? &copy->to_variable : &copy->from_variable) = variable;
    return cudaSuccess;
}

static cudaError_t copy_symbol(const char *call, bool to, const void *symbol, const void *memory,
                               size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                               cudaStream_t stream) {
    rt_copy copy;
    RT_ALLOWED(rt_copy_symbol(call, to, symbol, memory, bytes, offset, kind, &copy));
    if (kind != (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) &&
        kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return rt_fail(cudaErrorInvalidMemcpyDirection, call, _("a symbol is on the device"));
    return rt_copy_issue(call, &copy, stream);
}

RT_WITH_STREAM(cudaMemcpyToSymbol,
               copy_symbol(__func__, true, symbol, from, bytes, offset, kind, stream),
               const void *symbol, const void *from, size_t bytes, size_t offset,
               enum cudaMemcpyKind kind)

RT_WITH_STREAM(cudaMemcpyFromSymbol,
               copy_symbol(__func__, false, symbol, to, bytes, offset, kind, stream), void *to,
               const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)

/* ---- fills -------------------------------------------------------------------------------- */

cudaError_t rt_fill_issue(const char *call, const rt_box *to, int value, const rt_extent *e,
                          cudaStream_t stream) {
    const rt_work work = {.type = cudaGraphNodeTypeMemset,
                          .fill = {*to, *e, (unsigned)value & 0xff, 1}};
    RT_ALLOWED(rt_stream_check(call, stream));
    cudaError_t code = rt_fill_check(call, &work.fill);
    if (code == cudaSuccess && !nothing(e) && !rt_capture_work(call, stream, &work, &code))
        rt_fill_run(call, &work.fill);
    return code;
}

RT_WITH_STREAM(cudaMemset,
               rt_fill_issue(__func__, &(rt_box){to, bytes, 1}, value, &(rt_extent){bytes, 1, 1},
                             stream),
               void *to, int value, size_t bytes)

RT_WITH_STREAM(cudaMemset2D,
               rt_fill_issue(__func__, &(rt_box){to, pitch, height}, value,
                             &(rt_extent){width, height, 1}, stream),
               void *to, size_t pitch, int value, size_t width, size_t height)
