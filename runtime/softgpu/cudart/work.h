/* work.h: a piece of work, run by a stream or kept by a graph, and the effect of calls on stream
 * capture (graph/). Each library checks and runs copies and fills in its own way: softgpu moves the
 * bytes (soft/copy.c), the recorder adds steps to the plan (runtime/record/memory.c). */
#pragma once

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
    const rt_variable *to_variable, *from_variable; /* a side that is a variable, or NULL */
} rt_copy;

typedef struct rt_fill {
    rt_box to;
    rt_extent size;
    unsigned value, element; /* repeats `element` bytes of the value: 1, 2 or 4 */
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

/* Finds the kernel, checks the launch and packs the parameters from `args` (malloc'd). Returns
 * false and sets err; its code is a cudaError_t. */
bool rt_launch_prepare(const void *function, rt_launch *l, void **args, sg_error *err);
/* Applies launch attributes. Returns false if one is not supported. */
bool rt_launch_attribute(const cudaLaunchAttribute *attribute, rt_launch *l);
bool rt_launch_check(const rt_launch *l, sg_error *err);
cudaError_t rt_launch_run(const char *call, rt_launch *l);

/* Defines a call and its Async form. `result` uses the parameters and `stream`. */
#define RT_WITH_STREAM(name, result, ...)                                                          \
    cudaError_t name(__VA_ARGS__) {                                                                \
        const cudaStream_t stream = NULL;                                                          \
        return result;                                                                             \
    }                                                                                              \
    cudaError_t name##Async(__VA_ARGS__, cudaStream_t stream) {                                    \
        return result;                                                                             \
    }

/* ---- copies and fills (copy.c) ------------------------------------------------------------ */

/* Sets *bytes to the distance from the first to the last byte of a box. Returns false if that
 * exceeds all memory. */
bool rt_span(const rt_box *b, const rt_extent *e, size_t *bytes);
rt_copy rt_copy_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
/* Makes a copy to or from a variable, which must exist. Does not check the other side. */
cudaError_t rt_copy_symbol(const char *call, bool to, const void *symbol, const void *memory,
                           size_t bytes, size_t offset, enum cudaMemcpyKind kind, rt_copy *copy);
/* Check the work, then capture or run it. */
cudaError_t rt_copy_issue(const char *call, const rt_copy *copy, cudaStream_t stream);
cudaError_t rt_fill_issue(const char *call, const rt_box *to, int value, const rt_extent *e,
                          cudaStream_t stream);

/* Defined by each library. A graph's work is checked when it is added and when it runs, because
 * memory may be freed in between. */

/* Makes a copy of the parameters, which it does not check against memory. */
cudaError_t rt_copy_of(const char *call, const struct cudaMemcpy3DParms *p, rt_copy *copy);
cudaError_t rt_copy_check(const char *call, const rt_copy *c);
void rt_copy_run(const char *call, const rt_copy *c); /* must be checked */
cudaError_t rt_fill_check(const char *call, const rt_fill *f);
void rt_fill_run(const char *call, const rt_fill *f);

/* ---- streams and events (stream.c, event.c) ----------------------------------------------- */

bool rt_stream_blocking(cudaStream_t stream); /* it is ordered with the legacy stream */
cudaError_t rt_event_check(const char *call, cudaEvent_t event); /* an error if it is invalid */
bool rt_event_recorded(cudaEvent_t event);                       /* at least once */
void rt_event_now(cudaEvent_t event);                            /* the event is reached now */

/* ---- stream capture ----------------------------------------------------------------------- */

/* Call before work in a stream. Returns true if the call is finished and returns *code: the work
 * was captured (a copy of it) or is not allowed now. */
bool rt_capture_work(const char *call, cudaStream_t stream, const rt_work *work, cudaError_t *code);
/* Does the same for work that cannot be captured. Returns cudaSuccess or the call's result. */
cudaError_t rt_capture_refuse(const char *call, cudaStream_t stream);
/* Ends the stream's capture after a refused launch. Returns the call's result. */
cudaError_t rt_capture_failed(cudaStream_t stream, cudaError_t code);
/* Call before a call without a stream that a capture may prohibit (cudaMalloc, ...). */
cudaError_t rt_capture_unsafe(const char *call);
/* Call before the host waits for a stream or queries it, or waits for all streams. */
cudaError_t rt_capture_await(const char *call, cudaStream_t stream);
cudaError_t rt_capture_await_all(const char *call);
/* cudaMallocAsync() and cudaFreeAsync() with a captured stream or a graph's memory. They return
 * true as above. */
bool rt_capture_malloc(const char *call, cudaStream_t stream, void **out, size_t bytes,
                       cudaError_t *code);
bool rt_capture_free(const char *call, cudaStream_t stream, void *base, cudaError_t *code);
/* Call before an event is recorded (returns true as above), and before a stream waits for one. */
bool rt_capture_record(const char *call, cudaEvent_t event, cudaStream_t stream, unsigned flags,
                       cudaError_t *code);
cudaError_t rt_capture_join(const char *call, cudaStream_t stream, cudaEvent_t event,
                            unsigned flags);
/* Call before the host queries an event or waits for it. */
cudaError_t rt_capture_event(const char *call, cudaEvent_t event);
/* Call before its time is queried. */
cudaError_t rt_capture_time(const char *call, cudaEvent_t event);
/* Forget a destroyed handle. */
void rt_capture_forget_stream(cudaStream_t stream);
void rt_capture_forget_event(cudaEvent_t event);
