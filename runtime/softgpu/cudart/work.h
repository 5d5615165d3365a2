/* work.h: a piece of work as a stream runs it and a graph keeps it, and what calls ask of stream
 * capture. softgpu answers in graph/; the recorder captures nothing (runtime/record/capture.c). */
#ifndef SOFTGPU_CUDART_WORK_H
#define SOFTGPU_CUDART_WORK_H

#include "runtime/softgpu/cudart/rt.h"

/* Rows `pitch` bytes apart, in slices of `slice` rows. */
typedef struct rt_box {
    char *at;
    size_t pitch, slice;
} rt_box;

typedef struct rt_extent {
    size_t width, height, depth; /* bytes, rows, slices */
} rt_extent;

typedef struct rt_copy {
    rt_box to, from;
    rt_extent size;
    enum cudaMemcpyKind kind;
} rt_copy;

typedef struct rt_fill {
    rt_box to;
    rt_extent size;
    unsigned value, element; /* the value's bytes that are written over and over: 1, 2 or 4 */
} rt_fill;

typedef struct rt_work {
    enum cudaGraphNodeType type;
    union {
        rt_launch launch;
        rt_copy copy;
        rt_fill fill;
        struct cudaHostNodeParams host;
        cudaGraph_t graph;
        cudaEvent_t event;
        struct gr_memory *memory; /* allocated or freed */
    };
} rt_work;

/* ---- a launch (launch.c) ------------------------------------------------------------------ */

/* Finds the kernel, checks the launch and packs the parameters (malloc'd) from `args`. On false
 * err->code is a cudaError_t. */
bool rt_launch_prepare(const void *function, rt_launch *l, void **args, sg_error *err);
/* Sets what launch attributes ask for; false: one of them is not supported. */
bool rt_launch_attribute(const cudaLaunchAttribute *attribute, rt_launch *l);
bool rt_launch_check(const rt_launch *l, sg_error *err);
cudaError_t rt_launch_run(const char *call, rt_launch *l);

/* ---- streams and events (stream.c, event.c) ----------------------------------------------- */

bool rt_stream_blocking(cudaStream_t stream); /* ordered with the legacy stream */
bool rt_event_valid(cudaEvent_t event);
bool rt_event_recorded(cudaEvent_t event); /* ever */
void rt_event_now(cudaEvent_t event);      /* it is reached at this moment */

/* ---- stream capture ----------------------------------------------------------------------- */

/* Before work is done in a stream. True: the call is over and returns *code, as the work was
 * captured (a copy of it) or must not be done now. */
bool rt_capture_work(const char *call, cudaStream_t stream, const rt_work *work, cudaError_t *code);
/* The same for work that can't be captured: cudaSuccess, or what the call returns. */
cudaError_t rt_capture_refuse(const char *call, cudaStream_t stream);
/* A launch was refused with that code: ends the stream's capture; the code that the call returns.
 */
cudaError_t rt_capture_failed(cudaStream_t stream, cudaError_t code);
/* Before a call that a capture may prohibit, as it is not seen by it (cudaMalloc, ...). */
cudaError_t rt_capture_unsafe(const char *call);
/* Before the host waits for a stream, or asks whether it is done; before it waits for all. */
cudaError_t rt_capture_await(const char *call, cudaStream_t stream);
cudaError_t rt_capture_await_all(const char *call);
/* cudaMallocAsync and cudaFreeAsync, where the stream is captured or the memory a graph's; true as
 * above. */
bool rt_capture_malloc(const char *call, cudaStream_t stream, void **out, size_t bytes,
                       cudaError_t *code);
bool rt_capture_free(const char *call, cudaStream_t stream, void *base, cudaError_t *code);
/* Before an event is recorded; true as above. Before a stream waits for one. */
bool rt_capture_record(const char *call, cudaEvent_t event, cudaStream_t stream, unsigned flags,
                       cudaError_t *code);
cudaError_t rt_capture_join(const char *call, cudaStream_t stream, cudaEvent_t event,
                            unsigned flags);
/* Before the host asks an event, or waits for it. */
cudaError_t rt_capture_event(const char *call, cudaEvent_t event);
/* Before its time is asked. */
cudaError_t rt_capture_time(const char *call, cudaEvent_t event);
/* A handle goes away. */
void rt_capture_forget_stream(cudaStream_t stream);
void rt_capture_forget_event(cudaEvent_t event);

#endif
