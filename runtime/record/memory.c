/* memory.c: allocations and copies. Temporaries of solve() become buffers of the plan, copies and
 * fills on the device become steps, and reading a result back stops it. */
#include "runtime/record/plan.h"
#include "runtime/softgpu/cudart/work.h"

enum { MAX_UPLOAD = 64 << 10, MAX_ROWS = 1024 };

static rt_map pinned; /* host memory of cudaMallocHost and its size */

/* ---- allocation --------------------------------------------------------------------------- */

static cudaError_t allocate(const char *call, void **out, size_t bytes) {
    if (out == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the pointer to write to is NULL"));
    *out = NULL;
    if (bytes == 0)
        return cudaSuccess;
    RT_LOCKED();
    size_t total = rt_device_get()->prop.totalGlobalMem, used = plan_buffer_bytes();
    int i = bytes > total || used > total - bytes ? -1 : plan_buffer_new("", bytes, false);
    if (i < 0)
        return rt_fail(cudaErrorMemoryAllocation, call,
                       _("%zu bytes do not fit: %zu of %zu are in use, in %d buffers"), bytes, used,
                       total, plan_buffer_count());
    *out = (void *)(uintptr_t)plan_buffer_at(i)->base;
    return cudaSuccess;
}

static cudaError_t release(const char *call, void *address) {
    int i;
    int64_t offset;
    if (address == NULL)
        return cudaSuccess;
    RT_ALLOWED(plan_buffer_holding(call, "the pointer", address, 0, &i, &offset));
    if (plan_buffer_at(i)->is_argument)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("solve() frees its argument %s, which belongs to the caller"),
                       plan_buffer_at(i)->name);
    if (offset != 0)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("only the start of an allocation can be freed"));
    plan_buffer_at(i)->freed = true;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t bytes) {
    return allocate(__func__, out, bytes);
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream) {
    RT_STREAM(stream);
    return allocate(__func__, out, bytes);
}

cudaError_t cudaFree(void *address) {
    return release(__func__, address);
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
    RT_STREAM(stream);
    return release(__func__, address);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
    size_t bytes;
    if (pitch == NULL || width > SIZE_MAX - 512 ||
        __builtin_mul_overflow((width + 511) / 512 * 512, height, &bytes))
        return RT_FAIL(cudaErrorInvalidValue, _("can't allocate %zu x %zu bytes"), width, height);
    *pitch = (width + 511) / 512 * 512;
    return allocate(__func__, out, bytes);
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
    (void)out, (void)bytes, (void)flags;
    return RT_FAIL(
        cudaErrorNotSupported,
        _("host code could access managed memory unnoticed; use cudaMalloc for temporaries"));
}

/* Allocates ordinary host memory, which kernels can't use. */
static cudaError_t allocate_host(const char *call, void **out, size_t bytes) {
    if (out == NULL || (*out = bytes > 0 ? calloc(1, bytes) : NULL) == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, _("can't allocate %zu bytes"), bytes);
    rt_map_put(&pinned, *out, (void *)bytes);
    return cudaSuccess;
}

bool plan_is_pinned(const void *address) {
    RT_LOCKED();
    for (size_t i = 0; i < pinned.capacity; i++)
        if ((uintptr_t)address - (uintptr_t)pinned.slots[i].key < (uintptr_t)pinned.slots[i].value)
            return true;
    return false;
}

cudaError_t cudaMallocHost(void **out, size_t bytes) {
    return allocate_host(__func__, out, bytes);
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    (void)flags;
    return allocate_host(__func__, out, bytes);
}

cudaError_t cudaFreeHost(void *address) {
    if (!rt_map_remove(&pinned, address) && address != NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("%p is not memory of cudaMallocHost"), address);
    free(address);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    size_t all = rt_device_get()->prop.totalGlobalMem, used = plan_buffer_bytes();
    if (available != NULL)
        *available = all > used ? all - used : 0;
    if (total != NULL)
        *total = all;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    int64_t offset;
    bool device = plan_buffer_near((uint64_t)(uintptr_t)pointer, &offset) >= 0;
    RT_OUT(attributes);
    *attributes = (struct cudaPointerAttributes){.type = device ? cudaMemoryTypeDevice
                                                                : cudaMemoryTypeUnregistered,
                                                 .device = device ? 0 : cudaInvalidDeviceId,
                                                 .devicePointer = device ? (void *)pointer : NULL,
                                                 .hostPointer = device ? NULL : (void *)pointer};
    return cudaSuccess;
}

/* ---- copies ------------------------------------------------------------------------------- */

/* Returns the direction. Resolves cudaMemcpyDefault by the pointers. */
static enum cudaMemcpyKind direction(enum cudaMemcpyKind kind, const void *to, const void *from) {
    if (kind != cudaMemcpyDefault)
        return kind;
    bool to_device = plan_is_device_address(to), from_device = plan_is_device_address(from);
    if (to_device)
        return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

static cudaError_t record_copy(const char *call, const void *to, const void *from, size_t bytes) {
    int dst, src;
    int64_t to_offset, from_offset;
    RT_ALLOWED(plan_buffer_holding(call, "the destination", to, bytes, &dst, &to_offset));
    RT_ALLOWED(plan_buffer_holding(call, "the source", from, bytes, &src, &from_offset));
    plan_step(call, json_pack("{s:s, s:i, s:I, s:i, s:I, s:I}", "op", "copy", "dst", dst,
                              "dst_offset", (json_int_t)to_offset, "src", src, "src_offset",
                              (json_int_t)from_offset, "bytes", (json_int_t)bytes));
    return cudaSuccess;
}

/* Finds pointers to buffers in host data that goes to byte `offset` of a device object, at
 * multiples of 8 there: structures and arrays contain them. */
static json_t *pointers_in(const void *data, size_t bytes, size_t offset) {
    json_t *pointers = json_array();
    for (size_t at = (8 - offset % 8) % 8; at + 8 <= bytes; at += 8) {
        uint64_t word;
        int64_t from_start;
        memcpy(&word, (const char *)data + at, sizeof word);
        int buffer = plan_buffer_near(word, &from_start);
        if (buffer >= 0 && !plan_buffer_at(buffer)->freed)
            json_array_append_new(pointers,
                                  json_pack("{s:I, s:i, s:I}", "at", (json_int_t)at, "buffer",
                                            buffer, "offset", (json_int_t)from_start));
    }
    return pointers;
}

static cudaError_t record_upload(const char *call, const void *to, const void *from, size_t bytes) {
    int i;
    int64_t offset;
    if (from == NULL || plan_is_device_address(from))
        return rt_fail(cudaErrorInvalidValue, call, _("the source is not host memory"));
    RT_ALLOWED(plan_buffer_holding(call, "the destination", to, bytes, &i, &offset));
    if (plan_buffer_at(i)->is_argument)
        plan_stop(
            call, cudaErrorNotSupported,
            _("solve() copies host memory into its argument %s; compute results on the device"),
            plan_buffer_at(i)->name);
    if (bytes > MAX_UPLOAD)
        plan_stop(
            call, cudaErrorNotSupported,
            _("solve() copies %zu bytes from the host to the device; at most %d are recorded, "
              "enough for tables of constants"),
            bytes, MAX_UPLOAD);
    plan_step(call, json_pack("{s:s, s:i, s:I, s:o, s:o}", "op", "upload", "buffer", i, "offset",
                              (json_int_t)offset, "data", plan_hex(from, bytes), "pointers",
                              pointers_in(from, bytes, (size_t)offset)));
    return cudaSuccess;
}

/* Refuses to copy an array of solve() as host memory, a common mistake. */
static void check_side(const char *call, enum cudaMemcpyKind kind, const void *to,
                       const void *from) {
    bool back = kind == cudaMemcpyDeviceToHost;
    const void *host = back ? to : from;
    int64_t offset;
    int i = plan_buffer_near((uint64_t)(uintptr_t)host, &offset);
    if ((back || kind == cudaMemcpyHostToDevice) && i >= 0 && plan_buffer_at(i)->is_argument)
        plan_stop(call, cudaErrorInvalidValue,
                  _("solve() copies its array %s as if it were host memory (%s %s), but the arrays "
                    "of solve() are on the device: pass them to your kernels as they are"),
                  plan_buffer_at(i)->name, call, back ? _("device to host") : _("host to device"));
}

static cudaError_t copy(const char *call, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind, cudaStream_t stream) {
    RT_ALLOWED(rt_stream_check(call, stream));
    if (bytes == 0)
        return cudaSuccess;
    kind = direction(kind, to, from);
    check_side(call, kind, to, from);
    switch (kind) {
    case cudaMemcpyHostToHost:
        if (plan_is_device_address(to) || plan_is_device_address(from))
            return rt_fail(cudaErrorInvalidValue, call, _("a pointer is device memory"));
        memmove(to, from, bytes);
        return cudaSuccess;
    case cudaMemcpyHostToDevice:
        return record_upload(call, to, from, bytes);
    case cudaMemcpyDeviceToDevice:
        return record_copy(call, to, from, bytes);
    case cudaMemcpyDeviceToHost:
        plan_stop(call, cudaErrorNotSupported,
                  _("solve() reads a result back from the device (%s device to host); nothing runs "
                    "while it is recorded, so do all of the work in kernels, a final sum too"),
                  call);
    default:
        return rt_fail(cudaErrorInvalidMemcpyDirection, call, _("%d is not a direction of a copy"),
                       (int)kind);
    }
}

RT_WITH_STREAM(cudaMemcpy, copy(__func__, to, from, bytes, kind, stream), void *to,
               const void *from, size_t bytes, enum cudaMemcpyKind kind)

/* Copies rows, each as a step; dense rows are one step. */
static cudaError_t copy_rows(const char *call, void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (height > 1 && (width > to_pitch || width > from_pitch))
        return rt_fail(cudaErrorInvalidPitchValue, call,
                       _("a row of %zu bytes does not fit into the pitch; pitches are in bytes"),
                       width);
    if (to_pitch == width && from_pitch == width)
        return copy(call, to, from, width * height, kind, stream);
    if (height > MAX_ROWS)
        plan_stop(
            call, cudaErrorNotSupported,
            _("solve() copies %zu rows with a pitch; at most %d are recorded, so use a kernel "
              "for more"),
            height, MAX_ROWS);
    for (size_t y = 0; y < height; y++) {
        RT_ALLOWED(copy(call, (char *)to + y * to_pitch, (const char *)from + y * from_pitch, width,
                        kind, stream));
    }
    return cudaSuccess;
}

RT_WITH_STREAM(cudaMemcpy2D,
               copy_rows(__func__, to, to_pitch, from, from_pitch, width, height, kind, stream),
               void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind)

/* ---- fills -------------------------------------------------------------------------------- */

static cudaError_t fill(const char *call, void *to, size_t pitch, int value, size_t width,
                        size_t height, cudaStream_t stream) {
    int i;
    int64_t offset;
    size_t far;
    RT_ALLOWED(rt_stream_check(call, stream));
    if (width == 0 || height == 0)
        return cudaSuccess;
    if ((height > 1 && width > pitch) || __builtin_mul_overflow(pitch, height - 1, &far) ||
        far > SIZE_MAX - width)
        return rt_fail(cudaErrorInvalidPitchValue, call,
                       _("a row of %zu bytes does not fit into a "
                         "pitch of %zu"),
                       width, pitch);
    RT_ALLOWED(plan_buffer_holding(call, "the destination", to, far + width, &i, &offset));
    json_t *step = json_pack("{s:s, s:i, s:I, s:i}", "op", height == 1 ? "memset" : "memset2d",
                             "buffer", i, "offset", (json_int_t)offset, "value", value & 0xff);
    if (height == 1) {
        json_object_set_new(step, "bytes", json_integer((json_int_t)width));
    } else {
        json_object_set_new(step, "pitch", json_integer((json_int_t)pitch));
        json_object_set_new(step, "width", json_integer((json_int_t)width));
        json_object_set_new(step, "height", json_integer((json_int_t)height));
    }
    plan_step(call, step);
    return cudaSuccess;
}

RT_WITH_STREAM(cudaMemset, fill(__func__, to, bytes, value, bytes, 1, stream), void *to, int value,
               size_t bytes)

RT_WITH_STREAM(cudaMemset2D, fill(__func__, to, pitch, value, width, height, stream), void *to,
               size_t pitch, int value, size_t width, size_t height)

/* ---- variables ---------------------------------------------------------------------------- */

/* Copies between a variable and device memory. */
static cudaError_t symbol_copy(const char *call, const rt_variable *variable, size_t offset,
                               const void *memory, size_t bytes, bool to_symbol) {
    int buffer;
    int64_t at;
    RT_ALLOWED(plan_buffer_holding(call, to_symbol ? "the source" : "the destination", memory,
                                   bytes, &buffer, &at));
    plan_step(call, json_pack("{s:s, s:s, s:I, s:i, s:I, s:I, s:b}", "op", "symbol_copy", "name",
                              variable->name, "offset", (json_int_t)offset, "buffer", buffer,
                              "buffer_offset", (json_int_t)at, "bytes", (json_int_t)bytes,
                              "to_symbol", (int)to_symbol));
    return cudaSuccess;
}

static cudaError_t to_symbol(const char *call, const void *symbol, const void *from, size_t bytes,
                             size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    const rt_variable *variable;
    RT_ALLOWED(rt_stream_check(call, stream));
    RT_ALLOWED(rt_symbol(call, symbol, offset, bytes, NULL, &variable));
    if (bytes == 0)
        return cudaSuccess;
    if (kind == cudaMemcpyDeviceToDevice || plan_is_device_address(from))
        return symbol_copy(call, variable, offset, from, bytes, true);
    if (bytes > MAX_UPLOAD)
        plan_stop(call, cudaErrorNotSupported,
                  _("solve() copies %zu bytes into the variable %s; at "
                    "most %d are recorded"),
                  bytes, variable->name, MAX_UPLOAD);
    plan_step(call, json_pack("{s:s, s:s, s:I, s:o, s:o}", "op", "symbol", "name", variable->name,
                              "offset", (json_int_t)offset, "data", plan_hex(from, bytes),
                              "pointers", pointers_in(from, bytes, offset)));
    return cudaSuccess;
}

RT_WITH_STREAM(cudaMemcpyToSymbol, to_symbol(__func__, symbol, from, bytes, offset, kind, stream),
               const void *symbol, const void *from, size_t bytes, size_t offset,
               enum cudaMemcpyKind kind)

static cudaError_t from_symbol(const char *call, void *to, const void *symbol, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    const rt_variable *variable;
    RT_ALLOWED(rt_stream_check(call, stream));
    bool on_device = kind == cudaMemcpyDeviceToDevice ||
                     (kind == cudaMemcpyDefault && plan_is_device_address(to));
    if (!on_device)
        plan_stop(call, cudaErrorNotSupported,
                  _("solve() reads a variable back from the device (%s); nothing runs while it is "
                    "recorded, so do all of the work in kernels"),
                  call);
    RT_ALLOWED(rt_symbol(call, symbol, offset, bytes, NULL, &variable));
    return bytes == 0 ? cudaSuccess : symbol_copy(call, variable, offset, to, bytes, false);
}

RT_WITH_STREAM(cudaMemcpyFromSymbol, from_symbol(__func__, to, symbol, bytes, offset, kind, stream),
               void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
