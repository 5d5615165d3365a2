/* copy.c: checks copies and fills before a byte moves, and moves it. The calls that only softgpu
 * has: three dimensions, arrays, peers. ../copy.c has the others. */
#include "runtime/softgpu/cudart/soft/soft.h"

typedef rt_box box;
typedef rt_extent extent;

typedef bool side_check(const char *role, const void *pointer, size_t bytes, char text[1000]);

/* Sets the checks of both sides for a direction. The manual leaves a mismatch undefined. An H100
 * (CUDA 13) requires device memory for the device side, and accepts any memory for the host side
 * (tests/softgpu/runtime/api.cu). */
static bool sides(enum cudaMemcpyKind kind, side_check **to, side_check **from) {
    switch (kind) {
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
        *to = soft_any_side, *from = soft_any_side;
        return true;
    case cudaMemcpyHostToDevice:
        *to = soft_device_side, *from = soft_any_side;
        return true;
    case cudaMemcpyDeviceToHost:
        *to = soft_any_side, *from = soft_device_side;
        return true;
    case cudaMemcpyDeviceToDevice:
        *to = soft_device_side, *from = soft_device_side;
        return true;
    default:
        return false;
    }
}

static void move_row(void *to, const void *from, size_t bytes) {
    memmove(to, from, bytes);
    sg_mem_written(to, bytes);
}

static void move(const box *to, const box *from, const extent *e) {
    if (e->width == 0)
        return;
    if (e->depth == 1 && (e->height == 1 || (to->pitch == e->width && from->pitch == e->width))) {
        move_row(to->at, from->at, e->width * e->height);
        return;
    }
    for (size_t z = 0; z < e->depth; z++) {
        for (size_t y = 0; y < e->height; y++)
            move_row(to->at + (z * to->slice + y) * to->pitch,
                     from->at + (z * from->slice + y) * from->pitch, e->width);
    }
}

cudaError_t rt_copy_check(const char *call, const rt_copy *c) {
    const box *to = &c->to, *from = &c->from;
    const extent *e = &c->size;
    side_check *check_to, *check_from;
    size_t to_bytes, from_bytes;
    char text[1000];
    if (!sides(c->kind, &check_to, &check_from))
        return rt_fail(cudaErrorInvalidMemcpyDirection, call, _("%d is not a direction of a copy"),
                       (int)c->kind);
    if ((e->height > 1 || e->depth > 1) && (e->width > to->pitch || e->width > from->pitch))
        return rt_fail(
            cudaErrorInvalidPitchValue, call,
            _("a row of %zu bytes does not fit into a pitch of %zu; pitches are in bytes"),
            e->width, to->pitch < from->pitch ? to->pitch : from->pitch);
    if (!rt_span(to, e, &to_bytes) || !rt_span(from, e, &from_bytes))
        return rt_fail(cudaErrorInvalidValue, call, _("the size is larger than any memory"));
    if (!check_to("the destination", to->at, to_bytes, text) ||
        !check_from("the source", from->at, from_bytes, text))
        return rt_fail(cudaErrorInvalidValue, call, "%s", text);
    return cudaSuccess;
}

void rt_copy_run(const char *call, const rt_copy *c) {
    (void)call;
    soft_guard_open();
    move(&c->to, &c->from, &c->size);
    soft_guard_close();
    soft_moved_copy(c);
}

static cudaError_t copy_peer(const char *call, void *to, int to_device, const void *from,
                             int from_device, size_t bytes, cudaStream_t stream) {
    RT_ALLOWED(rt_stream_check(call, stream));
    RT_ALLOWED(rt_capture_refuse(call, stream));
    if (to_device != 0 || from_device != 0)
        return rt_fail(cudaErrorInvalidDevice, call, _("there is one device, number 0"));
    const rt_copy c = rt_copy_row(to, from, bytes, cudaMemcpyDeviceToDevice);
    return rt_copy_issue(call, &c, stream);
}

RT_WITH_STREAM(cudaMemcpyPeer, copy_peer(__func__, to, to_device, from, from_device, bytes, stream),
               void *to, int to_device, const void *from, int from_device, size_t bytes)

static box corner(const struct cudaPitchedPtr *pointer, const struct cudaPos *pos) {
    size_t slice = pointer->ysize;
    return (box){(char *)pointer->ptr + (pos->z * slice + pos->y) * pointer->pitch + pos->x,
                 pointer->pitch, slice};
}

/* Makes the box of one side, which is an array or memory. */
static cudaError_t side_of(const char *call, const struct cudaMemcpy3DParms *p, bool to,
                           const extent *e, box *b) {
    cudaArray_t array = to ? p->dstArray : p->srcArray;
    const struct cudaPos *pos = to ? &p->dstPos : &p->srcPos;
    *b = corner(to ? &p->dstPtr : &p->srcPtr, pos);
    return array ? soft_array_box(call, array, pos->x * array->texel_bytes, pos->y, pos->z, e,
                                  p->kind, to, b)
                 : cudaSuccess;
}

/* An extent is in an array's elements if there is an array, else in bytes. */
cudaError_t rt_copy_of(const char *call, const struct cudaMemcpy3DParms *p, rt_copy *copy) {
    size_t unit[2] = {0};
    if (p == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the parameters are NULL"));
    for (int to = 0; to < 2; to++) {
        cudaArray_t array = to ? p->dstArray : p->srcArray;
        if (array)
            RT_ALLOWED(soft_array_check(call, array));
        unit[to] = array ? array->texel_bytes : 0;
        if (array && (to ? p->dstPtr.ptr : p->srcPtr.ptr))
            return rt_fail(cudaErrorInvalidValue, call,
                           _("one side of the copy is both an array and a pointer"));
    }
    if (unit[0] && unit[1] && unit[0] != unit[1])
        return rt_fail(cudaErrorInvalidValue, call,
                       _("the arrays' elements have %zu and %zu bytes"), unit[0], unit[1]);
    size_t bytes = unit[0] ? unit[0] : unit[1] ? unit[1] : 1;
    *copy = (rt_copy){.size = {p->extent.width * bytes, p->extent.height, p->extent.depth},
                      .kind = p->kind};
    RT_ALLOWED(side_of(call, p, true, &copy->size, &copy->to));
    return side_of(call, p, false, &copy->size, &copy->from);
}

static cudaError_t copy3(const char *call, const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    rt_copy c;
    RT_ALLOWED(rt_copy_of(call, p, &c));
    return rt_copy_issue(call, &c, stream);
}

RT_WITH_STREAM(cudaMemcpy3D, copy3(__func__, p, stream), const struct cudaMemcpy3DParms *p)

/* ---- arrays ------------------------------------------------------------------------------- */

/* A side of a copy: memory, or an array from an offset on. */
typedef struct place {
    cudaArray_const_t array;
    size_t x, y; /* bytes, rows */
    void *at;
    size_t pitch;
} place;

#define RUNS_ON SIZE_MAX /* a height: the bytes run on into an array's next rows */

static cudaError_t copy_array(const char *call, place to, place from, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
    const place *sides[] = {&to, &from};
    const bool runs_on = height == RUNS_ON;
    const extent e = {width, runs_on ? 1 : height, 1};
    box boxes[2];
    RT_ALLOWED(rt_sticky(call));
    for (int k = 0; k < 2; k++) {
        const place *p = sides[k];
        extent rows = e;
        boxes[k] = (box){p->at, p->pitch, e.height};
        if (!p->array)
            continue;
        RT_ALLOWED(soft_array_check(call, p->array));
        size_t pitch = p->array->image.pitch, x = p->x;
        if (runs_on && x < pitch && width > pitch - x) /* whole rows, with the first and last */
            rows = (extent){pitch, (x + width + pitch - 1) / pitch, 1}, x = 0;
        RT_ALLOWED(soft_array_box(call, p->array, x, p->y, 0, &rows, kind, k == 0, &boxes[k]));
        boxes[k].at += p->x - x;
        boxes[k].pitch = runs_on ? width : pitch;
    }
    const rt_copy c = {.to = boxes[0], .from = boxes[1], .size = e, .kind = kind};
    return rt_copy_issue(call, &c, stream);
}

#define ARRAY(array, x, y) ((place){array, x, y, NULL, 0})
#define MEMORY(at, pitch) ((place){NULL, 0, 0, (void *)(uintptr_t)(at), pitch})

RT_WITH_STREAM(cudaMemcpyToArray,
               copy_array(__func__, ARRAY(to, x, y), MEMORY(from, bytes), bytes, RUNS_ON, kind,
                          stream),
               cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
               enum cudaMemcpyKind kind)

RT_WITH_STREAM(cudaMemcpyFromArray,
               copy_array(__func__, MEMORY(to, bytes), ARRAY(from, x, y), bytes, RUNS_ON, kind,
                          stream),
               void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
               enum cudaMemcpyKind kind)

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind) {
    return copy_array(__func__, ARRAY(to, to_x, to_y), ARRAY(from, x, y), bytes, RUNS_ON, kind,
                      NULL);
}

RT_WITH_STREAM(cudaMemcpy2DToArray,
               copy_array(__func__, ARRAY(to, x, y), MEMORY(from, pitch), width, height, kind,
                          stream),
               cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind)

RT_WITH_STREAM(cudaMemcpy2DFromArray,
               copy_array(__func__, MEMORY(to, pitch), ARRAY(from, x, y), width, height, kind,
                          stream),
               void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
               size_t height, enum cudaMemcpyKind kind)

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, enum cudaMemcpyKind kind) {
    return copy_array(__func__, ARRAY(to, to_x, to_y), ARRAY(from, x, y), width, height, kind,
                      NULL);
}

/* ---- fills -------------------------------------------------------------------------------- */

cudaError_t rt_fill_check(const char *call, const rt_fill *f) {
    size_t bytes;
    char text[1000];
    if ((f->size.height > 1 || f->size.depth > 1) && f->size.width > f->to.pitch)
        return rt_fail(
            cudaErrorInvalidPitchValue, call,
            _("a row of %zu bytes does not fit into a pitch of %zu; pitches are in bytes"),
            f->size.width, f->to.pitch);
    if (!rt_span(&f->to, &f->size, &bytes))
        return rt_fail(cudaErrorInvalidValue, call, _("the size is larger than any memory"));
    if (!soft_device_side("the destination", f->to.at, bytes, text))
        return rt_fail(cudaErrorInvalidValue, call, "%s", text);
    return cudaSuccess;
}

static void fill_row(char *row, const rt_fill *f) {
    if (f->element == 1)
        memset(row, (int)f->value, f->size.width);
    else
        for (size_t at = 0; at < f->size.width; at += f->element)
            memcpy(row + at, &f->value, f->element);
    sg_mem_written(row, f->size.width);
}

void rt_fill_run(const char *call, const rt_fill *f) {
    (void)call;
    soft_guard_open();
    for (size_t z = 0; z < f->size.depth; z++) {
        for (size_t y = 0; f->size.width > 0 && y < f->size.height; y++)
            fill_row(f->to.at + (z * f->to.slice + y) * f->to.pitch, f);
    }
    soft_guard_close();
    soft_moved_fill(f);
}

RT_WITH_STREAM(cudaMemset3D,
               rt_fill_issue(__func__, &(box){to.ptr, to.pitch, to.ysize}, value,
                             &(extent){e.width, e.height, e.depth}, stream),
               struct cudaPitchedPtr to, int value, struct cudaExtent e)

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
    char *found;
    RT_OUT(address);
    cudaError_t code = rt_symbol(__func__, symbol, 0, 0, &found, NULL);
    if (code == cudaSuccess)
        *address = found;
    return code;
}
