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
    RT_ALLOWED(rt_capture_unsafe(call));
    if (bytes == 0)
        return cudaSuccess;
    sg_error err = {0};
    *out = sg_mem_alloc(bytes, SG_MEM_DEVICE, "", &err);
    return *out ? cudaSuccess : rt_fail_as(call, &err);
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
    cudaError_t code;
    return rt_capture_malloc(__func__, stream, out, bytes, &code) ? code
                                                                  : allocate(__func__, out, bytes);
}

cudaError_t cudaFree(void *address) {
    cudaError_t code;
    RT_ALLOWED(rt_capture_unsafe(__func__));
    return rt_capture_free(__func__, NULL, address, &code) ? code : release(__func__, address);
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
    RT_STREAM(stream);
    cudaError_t code;
    return rt_capture_free(__func__, stream, address, &code) ? code : release(__func__, address);
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

/* Returns the direction. Resolves cudaMemcpyDefault, and a copy of device memory into a variable,
 * by the sides. */
static enum cudaMemcpyKind direction(const rt_copy *c) {
    bool to_device = c->to_variable || plan_is_device_address(c->to.at);
    bool from_device = c->from_variable || plan_is_device_address(c->from.at);
    if (c->to_variable && from_device)
        return cudaMemcpyDeviceToDevice;
    if (c->kind != cudaMemcpyDefault)
        return c->kind;
    if (to_device)
        return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

/* Checks the bytes of one side in device memory. A variable's have been checked. */
static cudaError_t check_device(const char *call, const char *role, const rt_variable *variable,
                                const void *at, size_t bytes) {
    int buffer;
    int64_t offset;
    return variable ? cudaSuccess : plan_buffer_holding(call, role, at, bytes, &buffer, &offset);
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

/* Checks a copy of host memory, of which each row is a step with the data. */
static cudaError_t check_upload(const char *call, const rt_copy *c) {
    int64_t offset;
    if (c->from.at == NULL || plan_is_device_address(c->from.at))
        return rt_fail(cudaErrorInvalidValue, call, _("the source is not host memory"));
    if (c->size.width > MAX_UPLOAD && c->to_variable)
        plan_stop(call, cudaErrorNotSupported,
                  _("solve() copies %zu bytes into the variable %s; at "
                    "most %d are recorded"),
                  c->size.width, c->to_variable->name, MAX_UPLOAD);
    if (c->to_variable)
        return cudaSuccess;
    int i = plan_buffer_near((uint64_t)(uintptr_t)c->to.at, &offset);
    if (i >= 0 && plan_buffer_at(i)->is_argument)
        plan_stop(
            call, cudaErrorNotSupported,
            _("solve() copies host memory into its argument %s; compute results on the device"),
            plan_buffer_at(i)->name);
    if (c->size.width > MAX_UPLOAD)
        plan_stop(
            call, cudaErrorNotSupported,
            _("solve() copies %zu bytes from the host to the device; at most %d are recorded, "
              "enough for tables of constants"),
            c->size.width, MAX_UPLOAD);
    return cudaSuccess;
}

/* Refuses to copy an array of solve() as host memory, a common mistake. */
static void check_side(const char *call, enum cudaMemcpyKind kind, const rt_copy *c) {
    bool back = kind == cudaMemcpyDeviceToHost;
    const void *host = back ? c->to.at : c->from.at;
    int64_t offset;
    int i = plan_buffer_near((uint64_t)(uintptr_t)host, &offset);
    if ((back || kind == cudaMemcpyHostToDevice) && i >= 0 && plan_buffer_at(i)->is_argument)
        plan_stop(call, cudaErrorInvalidValue,
                  _("solve() copies its array %s as if it were host memory (%s %s), but the arrays "
                    "of solve() are on the device: pass them to your kernels as they are"),
                  plan_buffer_at(i)->name, call, back ? _("device to host") : _("host to device"));
}

static cudaError_t check_rows(const char *call, const rt_copy *c, size_t *to, size_t *from) {
    const rt_extent *e = &c->size;
    size_t rows;
    if (__builtin_mul_overflow(e->height, e->depth, &rows) || !rt_span(&c->to, e, to) ||
        !rt_span(&c->from, e, from))
        return rt_fail(cudaErrorInvalidValue, call, _("the size is larger than any memory"));
    if (rows > 1 && (e->width > c->to.pitch || e->width > c->from.pitch))
        return rt_fail(cudaErrorInvalidPitchValue, call,
                       _("a row of %zu bytes does not fit into the pitch; pitches are in bytes"),
                       e->width);
    if (rows > MAX_ROWS)
        plan_stop(
            call, cudaErrorNotSupported,
            _("solve() copies %zu rows with a pitch; at most %d are recorded, so use a kernel "
              "for more"),
            rows, MAX_ROWS);
    return cudaSuccess;
}

/* Makes one row of rows without gaps. */
static rt_copy joined(const rt_copy *c) {
    rt_copy copy = *c;
    size_t width = c->size.width;
    if (c->size.depth == 1 && c->to.pitch == width && c->from.pitch == width &&
        !__builtin_mul_overflow(width, c->size.height, &copy.size.width))
        copy.size.height = 1;
    return copy;
}

cudaError_t rt_copy_check(const char *call, const rt_copy *given) {
    const rt_copy one = joined(given), *c = &one;
    enum cudaMemcpyKind kind = direction(c);
    size_t to = 0, from = 0;
    if (c->size.width == 0 || c->size.height == 0 || c->size.depth == 0)
        return cudaSuccess;
    if (kind == cudaMemcpyDeviceToHost && c->from_variable)
        plan_stop(call, cudaErrorNotSupported,
                  _("solve() reads a variable back from the device (%s); nothing runs while it is "
                    "recorded, so do all of the work in kernels"),
                  call);
    check_side(call, kind, c);
    RT_ALLOWED(check_rows(call, c, &to, &from));
    switch (kind) {
    case cudaMemcpyHostToHost:
        if (plan_is_device_address(c->to.at) || plan_is_device_address(c->from.at))
            return rt_fail(cudaErrorInvalidValue, call, _("a pointer is device memory"));
        return cudaSuccess;
    case cudaMemcpyHostToDevice:
        RT_ALLOWED(check_upload(call, c));
        return check_device(call, "the destination", c->to_variable, c->to.at, to);
    case cudaMemcpyDeviceToDevice:
        RT_ALLOWED(check_device(call, "the destination", c->to_variable, c->to.at, to));
        return check_device(call, "the source", c->from_variable, c->from.at, from);
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

cudaError_t rt_copy_of(const char *call, const struct cudaMemcpy3DParms *p, rt_copy *copy) {
    if (p == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the parameters are NULL"));
    if (p->dstArray || p->srcArray)
        return rt_refuse(SG_REFUSED_FUNCTION, call); /* solve() can't have made an array */
    const struct cudaPitchedPtr *sides[] = {&p->dstPtr, &p->srcPtr};
    const struct cudaPos *corners[] = {&p->dstPos, &p->srcPos};
    rt_box boxes[2];
    for (int i = 0; i < 2; i++) {
        size_t row = corners[i]->z * sides[i]->ysize + corners[i]->y;
        boxes[i] = (rt_box){(char *)sides[i]->ptr + row * sides[i]->pitch + corners[i]->x,
                            sides[i]->pitch, sides[i]->ysize};
    }
    *copy = (rt_copy){.to = boxes[0],
                      .from = boxes[1],
                      .size = {p->extent.width, p->extent.height, p->extent.depth},
                      .kind = p->kind};
    return cudaSuccess;
}

/* Returns the offset in the buffer that a checked address lies in, and sets its number. */
static json_int_t place(const void *at, int *buffer) {
    int64_t offset = 0;
    *buffer = plan_buffer_near((uint64_t)(uintptr_t)at, &offset);
    return (json_int_t)offset;
}

/* Returns the offset of an address within its variable. */
static json_int_t place_in(const rt_variable *variable, const void *at) {
    char *base = NULL;
    rt_symbol("", variable->host, 0, 0, &base, NULL);
    return (json_int_t)((const char *)at - base);
}

/* Copies between a variable and device memory. */
static json_t *symbol_copy(const rt_copy *c, const char *to, const char *from, size_t bytes) {
    const rt_variable *variable = c->to_variable ? c->to_variable : c->from_variable;
    int buffer;
    json_int_t offset = place_in(variable, c->to_variable ? to : from);
    json_int_t at = place(c->to_variable ? from : to, &buffer);
    return json_pack("{s:s, s:s, s:I, s:i, s:I, s:I, s:b}", "op", "symbol_copy", "name",
                     variable->name, "offset", offset, "buffer", buffer, "buffer_offset", at,
                     "bytes", (json_int_t)bytes, "to_symbol", c->to_variable != NULL);
}

static json_t *device_copy(const char *to, const char *from, size_t bytes) {
    int dst, src;
    json_int_t to_offset = place(to, &dst), from_offset = place(from, &src);
    return json_pack("{s:s, s:i, s:I, s:i, s:I, s:I}", "op", "copy", "dst", dst, "dst_offset",
                     to_offset, "src", src, "src_offset", from_offset, "bytes", (json_int_t)bytes);
}

static json_t *upload(const rt_variable *variable, const char *to, const char *from, size_t bytes) {
    int buffer = -1;
    json_int_t offset = variable ? place_in(variable, to) : place(to, &buffer);
    json_t *step = json_pack("{s:s, s:I, s:o, s:o}", "op", variable ? "symbol" : "upload", "offset",
                             offset, "data", plan_hex(from, bytes), "pointers",
                             pointers_in(from, bytes, (size_t)offset));
    json_object_set_new(step, variable ? "name" : "buffer",
                        variable ? json_string(variable->name) : json_integer(buffer));
    return step;
}

static void run_row(const char *call, const rt_copy *c, char *to, const char *from, size_t bytes) {
    enum cudaMemcpyKind kind = direction(c);
    if (kind == cudaMemcpyHostToHost)
        memmove(to, from, bytes);
    else if (kind == cudaMemcpyHostToDevice)
        plan_step(call, upload(c->to_variable, to, from, bytes));
    else if (c->to_variable || c->from_variable)
        plan_step(call, symbol_copy(c, to, from, bytes));
    else
        plan_step(call, device_copy(to, from, bytes));
}

void rt_copy_run(const char *call, const rt_copy *given) {
    const rt_copy c = joined(given);
    for (size_t z = 0; z < c.size.depth; z++)
        for (size_t y = 0; y < c.size.height; y++)
            run_row(call, &c, c.to.at + (z * c.to.slice + y) * c.to.pitch,
                    c.from.at + (z * c.from.slice + y) * c.from.pitch, c.size.width);
}

/* ---- fills -------------------------------------------------------------------------------- */

cudaError_t rt_fill_check(const char *call, const rt_fill *f) {
    size_t bytes;
    if (f->size.width == 0 || f->size.height == 0)
        return cudaSuccess;
    if ((f->size.height > 1 && f->size.width > f->to.pitch) || !rt_span(&f->to, &f->size, &bytes))
        return rt_fail(cudaErrorInvalidPitchValue, call,
                       _("a row of %zu bytes does not fit into a "
                         "pitch of %zu"),
                       f->size.width, f->to.pitch);
    for (unsigned i = 1; i < f->element; i++)
        if ((f->value >> 8 * i & 0xff) != (f->value & 0xff))
            plan_stop(call, cudaErrorNotSupported,
                      _("solve() fills memory with elements of different bytes (%#x), which can't "
                        "be recorded; write them in a kernel"),
                      f->value);
    return check_device(call, "the destination", NULL, f->to.at, bytes);
}

void rt_fill_run(const char *call, const rt_fill *f) {
    int i;
    bool one = f->size.height == 1;
    json_int_t offset = place(f->to.at, &i);
    json_t *step = json_pack("{s:s, s:i, s:I, s:i, s:I}", "op", one ? "memset" : "memset2d",
                             "buffer", i, "offset", offset, "value", (int)(f->value & 0xff),
                             one ? "bytes" : "width", (json_int_t)f->size.width);
    if (!one) {
        json_object_set_new(step, "pitch", json_integer((json_int_t)f->to.pitch));
        json_object_set_new(step, "height", json_integer((json_int_t)f->size.height));
    }
    plan_step(call, step);
}
