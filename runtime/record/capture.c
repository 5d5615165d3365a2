/* capture.c: the recorder captures no stream. Whatever begins a capture stops the plan, so all of
 * the runtime's questions (runtime/softgpu/cudart/work.h) have the same answer. */
#include "runtime/softgpu/cudart/work.h"

bool rt_capture_work(const char *call, cudaStream_t stream, const rt_work *work,
                     cudaError_t *code) {
    (void)call, (void)stream, (void)work, (void)code;
    return false;
}

cudaError_t rt_capture_refuse(const char *call, cudaStream_t stream) {
    (void)call, (void)stream;
    return cudaSuccess;
}

cudaError_t rt_capture_failed(cudaStream_t stream, cudaError_t code) {
    (void)stream;
    return code;
}

cudaError_t rt_capture_unsafe(const char *call) {
    (void)call;
    return cudaSuccess;
}

cudaError_t rt_capture_await(const char *call, cudaStream_t stream) {
    (void)call, (void)stream;
    return cudaSuccess;
}

cudaError_t rt_capture_await_all(const char *call) {
    (void)call;
    return cudaSuccess;
}

bool rt_capture_record(const char *call, cudaEvent_t event, cudaStream_t stream, unsigned flags,
                       cudaError_t *code) {
    (void)call, (void)event, (void)stream, (void)flags, (void)code;
    return false;
}

cudaError_t rt_capture_join(const char *call, cudaStream_t stream, cudaEvent_t event,
                            unsigned flags) {
    (void)call, (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}

cudaError_t rt_capture_event(const char *call, cudaEvent_t event) {
    (void)call, (void)event;
    return cudaSuccess;
}

cudaError_t rt_capture_time(const char *call, cudaEvent_t event) {
    (void)call, (void)event;
    return cudaSuccess;
}

void rt_capture_forget_stream(cudaStream_t stream) {
    (void)stream;
}

void rt_capture_forget_event(cudaEvent_t event) {
    (void)event;
}

/* ---- questions of programs ---------------------------------------------------------------- */

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    RT_STREAM(stream);
    RT_OUT(status);
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **before,
                                     const cudaGraphEdgeData **edges, size_t *n) {
    (void)id, (void)graph, (void)before, (void)edges, (void)n; /* set only while capturing */
    return cudaStreamIsCapturing(stream, status);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    static _Thread_local enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    if (mode == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the pointer to the mode is NULL"));
    enum cudaStreamCaptureMode old = current;
    current = *mode;
    *mode = old;
    return cudaSuccess;
}
