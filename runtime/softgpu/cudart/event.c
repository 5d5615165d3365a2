/* event.c: events. All earlier work is done when an event is recorded, so its time is the moment of
 * the call. Differences are real time on the CPU. */
#include "runtime/softgpu/cudart/work.h"

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double time; /* seconds */
};

static rt_map events;

cudaError_t rt_event_check(const char *call, cudaEvent_t event) {
    if (rt_map_get(&events, event) != NULL)
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidResourceHandle, call,
                   _("the event was never created, or is destroyed"));
}

bool rt_event_recorded(cudaEvent_t event) {
    return event->recorded;
}

void rt_event_now(cudaEvent_t event) {
    event->recorded = true;
    event->time = wb_now();
}

#define EVENT(event) RT_ALLOWED(rt_event_check(__func__, event))

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    RT_ENTER();
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == NULL || (flags & ~known) != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("the flags are %#x"), flags);
    if (flags & cudaEventInterprocess)
        return rt_refuse(SG_REFUSED_IPC, __func__);
    cudaEvent_t made = calloc(1, sizeof *made);
    if (made == NULL)
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for an event"));
    made->flags = flags;
    rt_map_put(&events, made, made);
    *event = made;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    RT_ENTER();
    EVENT(event);
    rt_capture_forget_event(event);
    rt_map_remove(&events, event);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    RT_ENTER();
    EVENT(event);
    RT_STREAM(stream);
    if ((flags & ~(unsigned)cudaEventRecordExternal) != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("the flags are %#x"), flags);
    cudaError_t code = cudaSuccess;
    if (!rt_capture_record(__func__, event, stream, flags, &code))
        rt_event_now(event);
    return code;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    RT_ENTER();
    EVENT(event);
    return rt_capture_event(__func__, event);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    RT_ENTER();
    EVENT(event);
    return rt_capture_event(__func__, event);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    RT_STREAM(stream);
    EVENT(event);
    if ((flags & ~(unsigned)cudaEventWaitExternal) != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("the flags are %#x"), flags);
    return rt_capture_join(__func__, stream, event, flags);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    RT_ENTER();
    EVENT(start);
    EVENT(end);
    RT_OUT(ms);
    RT_ALLOWED(rt_capture_time(__func__, start));
    RT_ALLOWED(rt_capture_time(__func__, end));
    if (((start->flags | end->flags) & cudaEventDisableTiming) != 0)
        return RT_FAIL(cudaErrorInvalidResourceHandle,
                       _("an event was created with cudaEventDisableTiming"));
    if (!start->recorded || !end->recorded)
        return RT_FAIL(cudaErrorInvalidResourceHandle, _("the %s event was never recorded"),
                       start->recorded ? _("end") : _("start"));
    rt_backend_clock();
    *ms = (float)((end->time - start->time) * 1e3);
    return cudaSuccess;
}
