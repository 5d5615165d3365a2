/* object.c: makes and describes texture and surface objects. */
#include "runtime/softgpu/cudart/soft/soft.h"

/* The objects as they were asked for, by handle modulo SG_TEXTURES. */
static struct cudaResourceDesc resources[SG_TEXTURES];
static struct cudaTextureDesc samplers[SG_TEXTURES];

/* ---- resources ---------------------------------------------------------------------------- */

static void set_format(sg_texture *t, const struct cudaChannelFormatDesc *f) {
    t->kind = (sg_texel_kind)f->f;
    t->channels = 1u + (f->y > 0) + (f->z > 0) + (f->w > 0);
    t->channel_bytes = (uint32_t)f->x / 8;
}

static cudaError_t set_array(const char *call, sg_texture *t, cudaArray_const_t a) {
    RT_ALLOWED(soft_array_check(call, a));
    t->image = a->image;
    t->layered = a->flags & cudaArrayLayered;
    t->cube = a->flags & cudaArrayCubemap;
    t->tiled = a->extent.height != 0;
    t->dims = a->extent.depth && !t->layered && !t->cube ? 3 : a->extent.height ? 2 : 1;
    set_format(t, &a->format);
    return cudaSuccess;
}

/* Checks rows of linear memory, and makes them the texture's only level. */
static cudaError_t set_memory(const char *call, sg_texture *t, void *at, size_t width,
                              size_t height, size_t pitch,
                              const struct cudaChannelFormatDesc *format) {
    const struct cudaDeviceProp *p = &rt_device_get()->prop;
    const size_t most_wide = t->dims == 1 ? 1u << 28 : (size_t)p->maxTexture2DLinear[0];
    size_t bytes;
    char text[1000];
    RT_ALLOWED(soft_format_check(call, format, &bytes));
    if (t->dims == 1)
        pitch = width, width /= bytes;
    if ((uintptr_t)at % p->textureAlignment != 0 ||
        (t->dims == 2 && pitch % p->texturePitchAlignment != 0))
        return rt_fail(cudaErrorInvalidValue, call,
                       _("a texture's memory begins at a multiple of %zu bytes, and its pitch is a "
                         "multiple of %zu (cudaMallocPitch); here they are %p and %zu"),
                       p->textureAlignment, p->texturePitchAlignment, at, pitch);
    if (width == 0 || width > most_wide || height == 0 ||
        height > (size_t)p->maxTexture2DLinear[1] || pitch / bytes < width ||
        (t->dims == 2 && pitch > (size_t)p->maxTexture2DLinear[2]))
        return rt_fail(cudaErrorInvalidValue, call,
                       _("no texture has %zu x %zu elements with a pitch of %zu bytes"), width,
                       height, pitch);
    if (!soft_device_side("the texture's memory", at, pitch * (height - 1) + width * bytes, text))
        return rt_fail(cudaErrorInvalidValue, call, "%s", text);
    t->image = (sg_image){at, (uint32_t)width, (uint32_t)height, 1, pitch, pitch * height};
    set_format(t, format);
    return cudaSuccess;
}

static cudaError_t set_resource(const char *call, sg_texture *t, const struct cudaResourceDesc *r) {
    switch (r->resType) {
    case cudaResourceTypeArray:
        return set_array(call, t, r->res.array.array);
    case cudaResourceTypeMipmappedArray:
        return rt_refuse(SG_REFUSED_TEXTURE_FEATURES, call);
    case cudaResourceTypeLinear:
        t->dims = 1;
        return set_memory(call, t, r->res.linear.devPtr, r->res.linear.sizeInBytes, 1, 0,
                          &r->res.linear.desc);
    case cudaResourceTypePitch2D:
        t->dims = 2;
        return set_memory(call, t, r->res.pitch2D.devPtr, r->res.pitch2D.width,
                          r->res.pitch2D.height, r->res.pitch2D.pitchInBytes, &r->res.pitch2D.desc);
    default:
        return rt_fail(cudaErrorInvalidValue, call, _("%d is not a type of a resource"),
                       (int)r->resType);
    }
}

/* ---- samplers ----------------------------------------------------------------------------- */

/* Checks formats as NVIDIA's libcudart does. */
static cudaError_t check_read(const char *call, const sg_texture *t,
                              const struct cudaTextureDesc *d) {
    bool integers = t->kind != SG_TEXEL_FLOAT, linear = d->filterMode == cudaFilterModeLinear,
         as_float = d->readMode == cudaReadModeNormalizedFloat;
    if (integers && linear && (!as_float || t->channel_bytes == 4))
        return rt_fail(cudaErrorInvalidFilterSetting, call,
                       _("linear filtering needs floats: 32-bit integers have none, others need "
                         "cudaReadModeNormalizedFloat"));
    if (as_float && (!integers || t->channel_bytes == 4))
        return rt_fail(cudaErrorInvalidNormSetting, call,
                       _("cudaReadModeNormalizedFloat is for integers of 8 and 16 bits"));
    return cudaSuccess;
}

static cudaError_t set_sampler(const char *call, sg_texture *t, const struct cudaTextureDesc *d,
                               bool buffer) {
    bool known = (unsigned)d->filterMode <= cudaFilterModeLinear &&
                 (unsigned)d->readMode <= cudaReadModeNormalizedFloat;
    for (int k = 0; k < 3; k++) {
        known &= (unsigned)d->addressMode[k] <= cudaAddressModeBorder;
        t->address[k] = buffer ? SG_BORDER : (sg_address)d->addressMode[k];
    }
    if (!known)
        return rt_fail(cudaErrorInvalidValue, call, _("the texture has an unknown mode"));
    if (d->seamlessCubemap || d->maxAnisotropy > 1)
        return rt_refuse(SG_REFUSED_TEXTURE_FEATURES, call);
    RT_ALLOWED(check_read(call, t, d));
    t->normalized = d->normalizedCoords != 0 && !buffer;
    t->linear = d->filterMode == cudaFilterModeLinear && !buffer;
    t->raw = t->kind != SG_TEXEL_FLOAT && d->readMode == cudaReadModeElementType;
    t->srgb = d->sRGB != 0;
    if (!buffer)
        memcpy(t->border, d->borderColor, sizeof t->border);
    return cudaSuccess;
}

/* ---- objects ------------------------------------------------------------------------------ */

static cudaError_t add(const char *call, const sg_texture *t, const struct cudaResourceDesc *r,
                       unsigned long long *out) {
    *out = sg_texture_add(t);
    resources[*out % SG_TEXTURES] = *r;
    return *out ? cudaSuccess
                : rt_fail(cudaErrorMemoryAllocation, call, _("no room for another object"));
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *sampler,
                                    const struct cudaResourceViewDesc *view) {
    sg_texture t = {0};
    RT_ENTER();
    RT_OUT(out);
    if (resource == NULL || sampler == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the parameters are NULL"));
    if (view != NULL)
        return rt_refuse(SG_REFUSED_TEXTURE_FEATURES, __func__);
    RT_ALLOWED(set_resource(__func__, &t, resource));
    RT_ALLOWED(set_sampler(__func__, &t, sampler, resource->resType == cudaResourceTypeLinear));
    RT_ALLOWED(add(__func__, &t, resource, out));
    samplers[*out % SG_TEXTURES] = *sampler;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out,
                                    const struct cudaResourceDesc *resource) {
    sg_texture t = {.surface = true};
    RT_ENTER();
    RT_OUT(out);
    if (resource == NULL || resource->resType != cudaResourceTypeArray)
        return RT_FAIL(cudaErrorInvalidValue, _("a surface needs an array"));
    RT_ALLOWED(set_array(__func__, &t, resource->res.array.array));
    if (!(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
        return RT_FAIL(cudaErrorInvalidValue,
                       _("the array was made without cudaArraySurfaceLoadStore"));
    t.layered |= t.cube; /* a cube map's faces are layers */
    return add(__func__, &t, resource, out);
}

static cudaError_t object_check(const char *call, unsigned long long handle, bool surface) {
    RT_ALLOWED(rt_sticky(call));
    return sg_texture_find(handle, surface)
               ? cudaSuccess
               : rt_fail(cudaErrorInvalidValue, call,
                         _("the object was never created, or is destroyed"));
}

#define OBJECT(kind, surface)                                                                      \
    cudaError_t cudaDestroy##kind##Object(unsigned long long object) {                             \
        if (object)                                                                                \
            RT_ALLOWED(object_check(__func__, object, surface));                                   \
        sg_texture_remove(object);                                                                 \
        return rt_sticky(__func__);                                                                \
    }                                                                                              \
    cudaError_t cudaGet##kind##ObjectResourceDesc(struct cudaResourceDesc *out,                    \
                                                  unsigned long long object) {                     \
        RT_OUT(out);                                                                               \
        RT_ALLOWED(object_check(__func__, object, surface));                                       \
        *out = resources[object % SG_TEXTURES];                                                    \
        return cudaSuccess;                                                                        \
    }
OBJECT(Texture, false)
OBJECT(Surface, true)

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out,
                                            cudaTextureObject_t object) {
    RT_OUT(out);
    RT_ALLOWED(object_check(__func__, object, false));
    *out = samplers[object % SG_TEXTURES];
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements,
                                                 const struct cudaChannelFormatDesc *format,
                                                 int device) {
    RT_ENTER();
    RT_OUT(elements);
    if (format == NULL || device != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("the parameters are NULL"));
    *elements = 1u << 28;
    return cudaSuccess;
}
