/* array.c: makes, frees and describes CUDA arrays. */
#include "runtime/softgpu/cudart/soft/soft.h"

static rt_map live; /* the arrays, by their handles */

/* ---- checks ------------------------------------------------------------------------------- */

static bool format_known(const struct cudaChannelFormatDesc *f, size_t *texel_bytes) {
    const int bits[] = {f->x, f->y, f->z, f->w};
    int n = 0;
    while (n < 4 && bits[n] != 0)
        n++;
    for (int k = 0; k < 4; k++)
        if (bits[k] != (k < n ? f->x : 0))
            return false;
    bool wide = f->f == cudaChannelFormatKindFloat ? f->x == 16 || f->x == 32
                                                   : f->x == 8 || f->x == 16 || f->x == 32;
    *texel_bytes = (size_t)(n * f->x / 8);
    return wide && n != 0 && n != 3 && (unsigned)f->f <= cudaChannelFormatKindFloat;
}

cudaError_t soft_format_check(const char *call, const struct cudaChannelFormatDesc *f,
                              size_t *texel_bytes) {
    if (f->f > cudaChannelFormatKindNone)
        return rt_refuse(SG_REFUSED_TEXTURE_FEATURES, call);
    if (format_known(f, texel_bytes))
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidChannelDescriptor, call,
                   _("an element has 1, 2 or 4 channels of 8, 16 or 32 bits (floats: 16 or 32); "
                     "%d, %d, %d, %d is asked for"),
                   f->x, f->y, f->z, f->w);
}

cudaError_t soft_array_check(const char *call, cudaArray_const_t array) {
    return rt_map_get(&live, array) != NULL
               ? cudaSuccess
               : rt_fail(cudaErrorInvalidResourceHandle, call,
                         _("the array was never created, or is freed"));
}

static bool fits_device(const struct cudaExtent *e, unsigned flags) {
    const struct cudaDeviceProp *p = &rt_device_get()->prop;
    const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    const int *flat = flags & cudaArrayTextureGather ? p->maxTexture2DGather : p->maxTexture2D,
              *boxes = p->maxTexture3D, *rows = p->maxTexture1DLayered,
              *sheets = p->maxTexture2DLayered, *cubes = p->maxTextureCubemapLayered;
    const int most[][3] = {{p->maxTexture1D},
                           {flat[0], flat[1]},
                           {boxes[0], boxes[1], boxes[2]},
                           {rows[0], 0, rows[1]},
                           {sheets[0], sheets[1], sheets[2]},
                           {p->maxTextureCubemap, p->maxTextureCubemap, 6},
                           {cubes[0], cubes[0], cubes[1]}};
    int kind = cube ? 5 + layered : layered ? 3 + (e->height > 0) : e->depth ? 2 : e->height > 0;
    return e->width <= (size_t)most[kind][0] && e->height <= (size_t)most[kind][1] &&
           e->depth <= (size_t)most[kind][2];
}

static bool shape_allowed(const struct cudaExtent *e, unsigned flags) {
    bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    if (e->width == 0 || (e->height == 0 && e->depth != 0 && !layered) || (layered && !e->depth) ||
        ((flags & cudaArrayTextureGather) && (e->height == 0 || e->depth != 0)))
        return false;
    return (!cube || (e->width == e->height && (layered ? e->depth % 6 == 0 : e->depth == 6))) &&
           fits_device(e, flags);
}

static cudaError_t check(const char *call, const void *out,
                         const struct cudaChannelFormatDesc *format, const struct cudaExtent *e,
                         unsigned flags, size_t *texel_bytes) {
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                           cudaArrayTextureGather | cudaArrayColorAttachment;
    RT_ALLOWED(rt_sticky(call));
    RT_ALLOWED(rt_capture_unsafe(call));
    if (out == NULL || format == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the pointer to write to is NULL"));
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping))
        return rt_refuse(SG_REFUSED_TEXTURE_FEATURES, call);
    RT_ALLOWED(soft_format_check(call, format, texel_bytes));
    if ((flags & ~known) || !shape_allowed(e, flags))
        return rt_fail(cudaErrorInvalidValue, call,
                       _("no array has %zu x %zu x %zu elements with flags %#x on this device"),
                       e->width, e->height, e->depth, flags);
    return cudaSuccess;
}

/* ---- arrays ------------------------------------------------------------------------------- */

/* Slices have room for whole tiles, as on a GPU (sg_texel_tile). */
static cudaError_t create(const char *call, cudaArray_t *out,
                          const struct cudaChannelFormatDesc *format, struct cudaExtent e,
                          unsigned flags) {
    sg_error err = {0};
    size_t bytes;
    RT_ALLOWED(check(call, out, format, &e, flags, &bytes));
    size_t pitch = e.width * bytes, height = e.height ? e.height : 1, depth = e.depth ? e.depth : 1;
    size_t room = (pitch + 63) / 64 * 64 * (e.height ? (height + 7) / 8 * 8 : 1);
    size_t slice = (room + pitch - 1) / pitch * pitch;
    char *base = sg_mem_alloc(slice * depth, SG_MEM_DEVICE, "", &err);
    struct cudaArray *a = calloc(1, sizeof *a);
    if (!base || !a || !rt_map_put(&live, a, a)) {
        sg_mem_free(base);
        free(a);
        return rt_fail(cudaErrorMemoryAllocation, call, "%s", err.text);
    }
    *a = (struct cudaArray){
        *format,
        e,
        flags,
        bytes,
        {base, (uint32_t)e.width, (uint32_t)height, (uint32_t)depth, pitch, slice}};
    *out = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned flags) {
    return create(__func__, out, format, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags) {
    return create(__func__, out, format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    RT_ENTER();
    if (array == NULL)
        return cudaSuccess;
    RT_ALLOWED(soft_array_check(__func__, array));
    rt_map_remove(&live, array);
    sg_mem_free(array->image.base);
    free(array);
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array) {
    RT_ENTER();
    RT_ALLOWED(soft_array_check(__func__, array));
    if (format != NULL)
        *format = array->format;
    if (extent != NULL)
        *extent = array->extent;
    if (flags != NULL)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array) {
    RT_ENTER();
    RT_OUT(format);
    RT_ALLOWED(soft_array_check(__func__, array));
    *format = array->format;
    return cudaSuccess;
}

cudaError_t soft_array_box(const char *call, cudaArray_const_t array, size_t x, size_t y, size_t z,
                           const rt_extent *size, enum cudaMemcpyKind kind, bool to, rt_box *box) {
    RT_ALLOWED(soft_array_check(call, array));
    const sg_image *i = &array->image;
    if (kind == cudaMemcpyHostToHost ||
        kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return rt_fail(cudaErrorInvalidMemcpyDirection, call,
                       _("an array is device memory; the direction of the copy says it is not"));
    if (x > i->pitch || size->width > i->pitch - x || y > i->height ||
        size->height > i->height - y || z > i->depth || size->depth > i->depth - z)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("%zu bytes x %zu x %zu from (%zu, %zu, %zu) do not fit into the array's "
                         "%zu bytes x %u x %u"),
                       size->width, size->height, size->depth, x, y, z, i->pitch, i->height,
                       i->depth);
    *box = (rt_box){i->base + z * i->slice + y * i->pitch + x, i->pitch, i->slice / i->pitch};
    return cudaSuccess;
}

void soft_arrays_reset(void) {
    sg_texture_clear();
    RT_LOCKED();
    for (size_t i = 0; i < live.capacity; i++)
        if (live.slots[i].value)
            cudaFreeArray(live.slots[i].value);
}
