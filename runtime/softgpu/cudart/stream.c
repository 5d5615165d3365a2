/* stream.c: streams. Work is done, in the order of issue, when the issuing call returns. A GPU may
 * choose this order too. So a stream is only a handle, and waits end at once. Host functions run in
 * the caller. */
#include "runtime/softgpu/cudart/work.h"

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
};

enum { LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5 };

static rt_map streams;
static unsigned long long next_id = 3; /* 1 and 2 are the legacy and the per-thread stream */

static bool is_default(cudaStream_t stream) {
    return (uintptr_t)stream <= (uintptr_t)cudaStreamPerThread;
}

cudaError_t rt_stream_check(const char *call, cudaStream_t stream) {
    RT_ALLOWED(rt_sticky(call));
    if (is_default(stream) || rt_map_get(&streams, stream) != NULL)
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidResourceHandle, call,
                   _("the stream was never created, or is destroyed"));
}

bool rt_stream_blocking(cudaStream_t stream) {
    return is_default(stream) || !(stream->flags & cudaStreamNonBlocking);
}

static cudaError_t create(const char *call, cudaStream_t *stream, unsigned flags, int priority) {
    RT_ALLOWED(rt_sticky(call));
    if (stream == NULL || (flags & ~(unsigned)cudaStreamNonBlocking) != 0)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("the flags are %#x; 0 and cudaStreamNonBlocking "
                         "are possible"),
                       flags);
    cudaStream_t made = calloc(1, sizeof *made);
    if (made == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a stream"));
    made->flags = flags;
    made->priority = priority > LOWEST_PRIORITY    ? LOWEST_PRIORITY
                     : priority < HIGHEST_PRIORITY ? HIGHEST_PRIORITY
                                                   : priority;
    RT_LOCKED();
    made->id = next_id++;
    rt_map_put(&streams, made, made);
    *stream = made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return create(__func__, stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return create(__func__, stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    return create(__func__, stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RT_STREAM(stream);
    if (is_default(stream))
        return RT_FAIL(cudaErrorInvalidResourceHandle, _("the default stream can't be destroyed"));
    rt_capture_forget_stream(stream);
    rt_map_remove(&streams, stream);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RT_STREAM(stream);
    return rt_capture_await(__func__, stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    RT_STREAM(stream);
    return rt_capture_await(__func__, stream);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least != NULL)
        *least = LOWEST_PRIORITY;
    if (greatest != NULL)
        *greatest = HIGHEST_PRIORITY;
    return cudaSuccess;
}

/* Defines a call whose only result is `value`. */
#define GIVES(call, type, value)                                                                   \
    cudaError_t call(cudaStream_t stream, type *out) {                                             \
        RT_STREAM(stream);                                                                         \
        RT_OUT(out);                                                                               \
        *out = (value);                                                                            \
        return cudaSuccess;                                                                        \
    }
GIVES(cudaStreamGetPriority, int, is_default(stream) ? 0 : stream->priority)
GIVES(cudaStreamGetId, unsigned long long,
      stream == cudaStreamPerThread ? 2
      : is_default(stream)          ? 1
                                    : stream->id)
GIVES(cudaStreamGetDevice, int, 0)

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    RT_STREAM(stream);
    RT_OUT(flags);
    if (!is_default(stream))
        RT_ALLOWED(rt_capture_refuse(__func__, stream));
    *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t length,
                                     unsigned flags) {
    (void)address, (void)length, (void)flags; /* a hint about accesses to managed memory */
    RT_STREAM(stream);
    return rt_capture_refuse(__func__, stream);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    RT_STREAM(stream);
    if (function == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the function is NULL"));
    rt_backend_note(__func__, cudaSuccess, SG_REFUSED_NONE, "a host function in a stream");
    rt_work work = {.type = cudaGraphNodeTypeHost, .host = {function, data}};
    cudaError_t code = cudaSuccess;
    if (!rt_capture_work(__func__, stream, &work, &code))
        function(data);
    return code;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
    RT_STREAM(stream);
    if (callback == NULL || flags != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("a callback is needed, and flags must be 0"));
    RT_ALLOWED(rt_capture_refuse(__func__, stream));
    rt_backend_note(__func__, cudaSuccess, SG_REFUSED_NONE, "a host function in a stream");
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}
