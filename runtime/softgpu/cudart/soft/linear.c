/* linear.c: allocates device, managed and pinned memory, describes pointers, and checks the ranges
 * of copies. The engine's table has all ranges. This file only adds the flags for
 * cudaHostGetFlags(). */
#include "runtime/softgpu/cudart/soft/soft.h"

#include <dlfcn.h>

static rt_map allocations; /* base -> flags of memory allocated or registered here */

enum { IS_REGISTERED = 1 << 16, PRESENT = 1 << 17 };

static void remember(void *base, unsigned flags) {
    rt_map_put(&allocations, base, (void *)(uintptr_t)(flags | PRESENT));
}

static unsigned recall(const void *base) {
    return (unsigned)(uintptr_t)rt_map_get(&allocations, base);
}

void soft_memory_reset(void) {
    RT_LOCKED();
    for (size_t i = 0; i < allocations.capacity; i++) {
        void *base = (void *)allocations.slots[i].key;
        if (allocations.slots[i].value != NULL && !soft_guard_free(base))
            sg_mem_free(base);
    }
    free(allocations.slots);
    allocations = (rt_map){0};
}

/* ---- ranges ------------------------------------------------------------------------------- */

static WB_PRINTF(2, 3) bool explain(char text[1000], const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(text, 1000, format, args);
    va_end(args);
    return false;
}

static const char *kind_name(const sg_mem_range *range) {
    switch (range->kind) {
    case SG_MEM_MANAGED:
        return _("managed allocation");
    case SG_MEM_HOST:
        return _("pinned host allocation");
    case SG_MEM_SYMBOL:
        return _("__device__ variable");
    case SG_MEM_CONSTANT:
        return _("__constant__ variable");
    default:
        return _("device allocation");
    }
}

static bool within(const char *role, const sg_mem_range *range, const void *pointer, size_t bytes,
                   char text[1000]) {
    size_t offset = (size_t)((const char *)pointer - (const char *)range->base);
    if (offset <= range->bytes && bytes <= range->bytes - offset)
        return true;
    return explain(
        text,
        _("%s is byte %zu of a %s%s%s of %zu bytes, and %zu bytes from there go %zu beyond "
          "its end; count in bytes, n * sizeof(type), and look at the size that was "
          "allocated"),
        role, offset, kind_name(range), range->name[0] != '\0' ? " " : "", range->name,
        range->bytes, bytes, bytes - (range->bytes - offset));
}

static bool freed(const char *role, const void *pointer, char text[1000]) {
    sg_mem_range range;
    if (!sg_mem_find_freed(pointer, &range))
        return false;
    explain(text, _("%s points into a %s%s%s of %zu bytes that was freed before"), role,
            kind_name(&range), range.name[0] ? " " : "", range.name, range.bytes);
    return true;
}

/* Checks that the bytes are device memory. `null` and `other` are messages for a pointer that is
 * NULL or not device memory. */
static bool check_device(const char *role, const void *pointer, size_t bytes, char text[1000],
                         const char *null, const char *other) {
    sg_mem_range range;
    if (bytes == 0)
        return true;
    if (pointer == NULL)
        return explain(text, null, role);
    if (sg_mem_find(pointer, &range))
        return within(role, &range, pointer, bytes, text);
    return !freed(role, pointer, text) && explain(text, other, role, pointer);
}

bool soft_device_side(const char *role, const void *pointer, size_t bytes, char text[1000]) {
    return check_device(
        role, pointer, bytes, text,
        _("%s is NULL; did the cudaMalloc before it succeed, and of more than 0 bytes?"),
        _("%s (%p) is not device memory; the direction of the copy says it is. Are the "
          "arguments in the order (destination, source, bytes, direction)?"));
}

bool soft_any_side(const char *role, const void *pointer, size_t bytes, char text[1000]) {
    sg_mem_range range;
    if (bytes == 0)
        return true;
    if (pointer == NULL)
        return explain(text, _("%s is NULL"), role);
    /* memory outside the table is the host's, even where device memory was before */
    return !sg_mem_find(pointer, &range) || within(role, &range, pointer, bytes, text);
}

SOFTGPU_API bool softgpu_check_range(const char *role, const void *pointer, size_t bytes,
                                     char text[1000]) {
    return check_device(role, pointer, bytes, text, _("%s is NULL"),
                        _("%s (%p) is not device memory"));
}

SOFTGPU_API void softgpu_poison(void *pointer, size_t bytes, uint32_t word) {
    char *p = pointer;
    soft_guard_open();
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word)
        memcpy(p, &word, sizeof word);
    memcpy(p, &word, bytes);
    soft_guard_close();
}

SOFTGPU_API void softgpu_note_written(const void *pointer, size_t bytes) {
    sg_mem_written(pointer, bytes);
}

/* Writes the name of the variable that receives the pointer, or "" if there is none of that name in
 * a cell or the program. Reports of stray accesses use the name. */
static void variable_of(void *const *out, char name[64]) {
    Dl_info info;
    name[0] = '\0';
    if (!dladdr((const void *)out, &info) || !info.dli_sname || info.dli_saddr != (const void *)out)
        return;
    const char *dot = strrchr(info.dli_sname, '.'); /* before the name in a cell's own symbol */
    const char *symbol = dot ? dot + 1 : info.dli_sname;
    if (symbol[0] != '_' && strlen(symbol) < 64)
        snprintf(name, 64, "%s", symbol);
}

/* ---- allocation --------------------------------------------------------------------------- */

static cudaError_t allocate(const char *call, void **out, size_t bytes, sg_mem_kind kind,
                            unsigned flags) {
    sg_error err = {0};
    char name[64];
    RT_ALLOWED(rt_sticky(call));
    RT_ALLOWED(rt_capture_unsafe(call));
    if (out == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the pointer to write to is NULL"));
    *out = NULL;
    if (bytes == 0)
        return cudaSuccess;
    void *base = NULL;
    variable_of(out, name);
    if (kind == SG_MEM_DEVICE && soft_guard_wanted(bytes))
        base = soft_guard_alloc(bytes, name);
    if (base == NULL)
        base = sg_mem_alloc(bytes, kind, name, &err);
    if (base == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, "%s", err.text);
    remember(base, flags);
    *out = base;
    return cudaSuccess;
}

/* Frees memory. For a pointer of another kind, the error names the right call. */
static cudaError_t release(const char *call, void *base, bool host) {
    sg_mem_range range;
    char text[1000];
    if (base == NULL)
        return cudaSuccess;
    if (!sg_mem_find(base, &range)) {
        if (freed("the pointer", base, text))
            return rt_fail(cudaErrorInvalidValue, call, _("%s: one %s is enough"), text, call);
        return rt_fail(cudaErrorInvalidValue, call, _("%p was not allocated by CUDA"), base);
    }
    if (range.base != base)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("the pointer is byte %zu of a %s; only its start can be freed"),
                       (size_t)((char *)base - (char *)range.base), kind_name(&range));
    if (recall(base) == 0 || (range.kind == SG_MEM_HOST) != host || (recall(base) & IS_REGISTERED))
        return rt_fail(cudaErrorInvalidValue, call,
                       _("the pointer is a %s, which %s does not free"), kind_name(&range), call);
    rt_map_remove(&allocations, base);
    if (!soft_guard_free(base))
        sg_mem_free(base);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t bytes) {
    return allocate(__func__, out, bytes, SG_MEM_DEVICE, 0);
}

cudaError_t cudaFree(void *base) {
    cudaError_t code;
    RT_ENTER();
    RT_ALLOWED(rt_capture_unsafe(__func__));
    if (rt_capture_free(__func__, NULL, base, &code))
        return code;
    return release(__func__, base, false);
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream) {
    RT_STREAM(stream);
    cudaError_t code;
    if (rt_capture_malloc(__func__, stream, out, bytes, &code))
        return code;
    return allocate(__func__, out, bytes, SG_MEM_DEVICE, 0);
}

cudaError_t cudaFreeAsync(void *base, cudaStream_t stream) {
    RT_STREAM(stream);
    cudaError_t code;
    if (rt_capture_free(__func__, stream, base, &code))
        return code;
    return release(__func__, base, false);
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return RT_FAIL(cudaErrorInvalidValue, _("can't allocate %zu bytes with flags %#x"), bytes,
                       flags);
    return allocate(__func__, out, bytes, SG_MEM_MANAGED, 0);
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("the flags are %#x"), flags);
    return allocate(__func__, out, bytes, SG_MEM_HOST, flags | cudaHostAllocMapped);
}

cudaError_t cudaMallocHost(void **out, size_t bytes) {
    return allocate(__func__, out, bytes, SG_MEM_HOST, cudaHostAllocMapped);
}

cudaError_t cudaFreeHost(void *base) {
    RT_ENTER();
    RT_ALLOWED(rt_capture_unsafe(__func__));
    return release(__func__, base, true);
}

cudaError_t cudaHostRegister(void *base, size_t bytes, unsigned flags) {
    sg_mem_range range;
    RT_ENTER();
    RT_ALLOWED(rt_capture_unsafe(__func__));
    if (base == NULL || bytes == 0)
        return RT_FAIL(cudaErrorInvalidValue, _("there is nothing to register"));
    if (sg_mem_find(base, &range))
        return RT_FAIL(cudaErrorHostMemoryAlreadyRegistered, _("the memory is a %s already"),
                       kind_name(&range));
    if (!sg_mem_register(base, bytes, SG_MEM_HOST))
        return RT_FAIL(cudaErrorMemoryAllocation, _("no room for another range"));
    remember(base, flags | IS_REGISTERED);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *base) {
    RT_ENTER();
    RT_ALLOWED(rt_capture_unsafe(__func__));
    if ((recall(base) & IS_REGISTERED) == 0)
        return RT_FAIL(cudaErrorHostMemoryNotRegistered,
                       _("%p is not the start of registered memory"), base);
    rt_map_remove(&allocations, base);
    sg_mem_free(base);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    sg_mem_range range;
    RT_ENTER();
    if (device == NULL || flags != 0 || !sg_mem_find(host, &range) ||
        (range.kind != SG_MEM_HOST && range.kind != SG_MEM_MANAGED))
        return RT_FAIL(cudaErrorInvalidValue, _("%p is not pinned host memory"), host);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    sg_mem_range range;
    RT_ENTER();
    if (flags == NULL || !sg_mem_find(host, &range) || range.kind != SG_MEM_HOST)
        return RT_FAIL(cudaErrorInvalidValue, _("%p is not pinned host memory"), host);
    *flags = recall(range.base) & 0xff;
    return cudaSuccess;
}

enum { PITCH = 512 };

static bool pitched_size(size_t width, size_t rows, size_t *pitch, size_t *bytes) {
    if (width > SIZE_MAX - PITCH)
        return false;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return !__builtin_mul_overflow(*pitch, rows, bytes);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
    size_t bytes;
    if (pitch == NULL || !pitched_size(width, height, pitch, &bytes))
        return RT_FAIL(cudaErrorInvalidValue, _("can't allocate %zu x %zu bytes"), width, height);
    return allocate(__func__, out, bytes, SG_MEM_DEVICE, 0);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent) {
    size_t bytes, rows;
    if (out == NULL || __builtin_mul_overflow(extent.height, extent.depth, &rows) ||
        !pitched_size(extent.width, rows, &out->pitch, &bytes))
        return RT_FAIL(cudaErrorInvalidValue, _("can't allocate %zu x %zu x %zu bytes"),
                       extent.width, extent.height, extent.depth);
    out->xsize = extent.width;
    out->ysize = extent.height;
    return allocate(__func__, &out->ptr, bytes, SG_MEM_DEVICE, 0);
}

/* ---- queries ------------------------------------------------------------------------------ */

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    size_t used, all;
    RT_ENTER();
    sg_mem_usage(&used, &all);
    if (available != NULL)
        *available = all > used ? all - used : 0;
    if (total != NULL)
        *total = all;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    sg_mem_range range;
    RT_ENTER();
    RT_OUT(attributes);
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                                 .device = cudaInvalidDeviceId,
                                                 .hostPointer = (void *)pointer};
    if (pointer == NULL || !sg_mem_find(pointer, &range))
        return cudaSuccess;
    attributes->device = 0;
    attributes->devicePointer = (void *)pointer;
    switch (range.kind) {
    case SG_MEM_MANAGED:
        attributes->type = cudaMemoryTypeManaged;
        break;
    case SG_MEM_HOST:
        attributes->type = cudaMemoryTypeHost;
        break;
    default:
        attributes->type = cudaMemoryTypeDevice;
        attributes->hostPointer = NULL;
    }
    return cudaSuccess;
}

/* Prefetches and advice have no effect, because managed memory is accessible everywhere. */
static cudaError_t managed_hint(const char *call, const void *pointer, size_t bytes) {
    sg_mem_range range;
    char text[1000];
    RT_ALLOWED(rt_sticky(call));
    if (!soft_device_side("the pointer", pointer, bytes, text))
        return rt_fail(cudaErrorInvalidValue, call, "%s", text);
    if (!sg_mem_find(pointer, &range) || range.kind != SG_MEM_MANAGED)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("the pointer is not managed memory (cudaMallocManaged)"));
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    (void)location, (void)flags;
    RT_STREAM(stream);
    RT_ALLOWED(rt_capture_refuse(__func__, stream));
    return managed_hint(__func__, pointer, bytes);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    (void)advice, (void)location;
    return managed_hint(__func__, pointer, bytes);
}
