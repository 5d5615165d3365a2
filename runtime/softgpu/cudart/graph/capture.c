/* capture.c: the effect of calls on active captures (../work.h). The codes, and the calls that end
 * a capture, are those of an H100. tests/softgpu/cases/graphs_prohibited checks each call. */
#include "runtime/softgpu/cudart/graph/capture.h"
#include "runtime/softgpu/cudart/soft/extension.h"

#include <stdatomic.h>

_Thread_local enum cudaStreamCaptureMode gr_thread_mode = cudaStreamCaptureModeGlobal;

/* The nodes behind an event that was recorded in a capture. */
typedef struct mark {
    uint64_t capture;
    gr_nodes at;
} mark;

static _Atomic int under_way; /* number of captures and marks; 0 answers every question at once */
static gr_capture *captures;
static rt_map lanes; /* gr_stream_key -> gr_lane */
static rt_map marks; /* cudaEvent_t -> mark */
static uint64_t last_id;

static bool quiet(void) {
    return atomic_load_explicit(&under_way, memory_order_relaxed) == 0;
}

/* Returns a stream's key in tables. The per-thread stream is a different one in each thread. */
static const void *gr_stream_key(cudaStream_t stream) {
    static _Thread_local char here;
    return stream == cudaStreamPerThread ? (const void *)&here : (const void *)stream;
}

static bool is_legacy(cudaStream_t stream) {
    return stream == NULL || stream == cudaStreamLegacy;
}

/* ---- captures and lanes ------------------------------------------------------------------- */

gr_lane *gr_lane_of(cudaStream_t stream) {
    return is_legacy(stream) ? NULL : rt_map_get(&lanes, gr_stream_key(stream));
}

static gr_lane *lane_new(gr_capture *capture, cudaStream_t stream) {
    gr_lane *lane = calloc(1, sizeof *lane), **end = &capture->lanes;
    if (lane == NULL)
        return NULL;
    *lane = (gr_lane){
        .key = gr_stream_key(stream), .capture = capture, .blocking = rt_stream_blocking(stream)};
    if (!rt_map_put(&lanes, lane->key, lane)) {
        free(lane);
        return NULL;
    }
    while (*end != NULL)
        end = &(*end)->next;
    *end = lane;
    return lane;
}

static void lane_free(gr_lane *lane) {
    if (lane->key != NULL)
        rt_map_remove(&lanes, lane->key);
    gr_nodes_free(&lane->at);
    WB_FREE(lane->edges, lane);
}

gr_capture *gr_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode,
                             cudaGraph_t graph) {
    gr_capture *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (gr_capture){.id = ++last_id,
                         .graph = graph != NULL ? graph : gr_graph_new(true),
                         .borrowed = graph != NULL,
                         .mode = mode,
                         .thread = pthread_self(),
                         .next = captures};
    if (made->graph == NULL || lane_new(made, stream) == NULL) {
        if (!made->borrowed)
            gr_graph_free(made->graph);
        free(made);
        return NULL;
    }
    made->graph->captured = true;
    captures = made;
    under_way++;
    return made;
}

void gr_capture_end(gr_capture *capture) {
    gr_capture **at = &captures;
    while (*at != capture)
        at = &(*at)->next;
    *at = capture->next;
    for (gr_lane *lane = capture->lanes, *next; lane != NULL; lane = next) {
        next = lane->next;
        lane_free(lane);
    }
    capture->graph->captured = false;
    free(capture);
    under_way--;
}

void gr_capture_drop(gr_capture *capture) {
    cudaGraph_t graph = capture->borrowed ? NULL : capture->graph;
    gr_capture_end(capture);
    gr_graph_free(graph);
}

static gr_capture *capture_of(uint64_t id) {
    gr_capture *c = captures;
    while (c != NULL && c->id != id)
        c = c->next;
    return c;
}

cudaError_t gr_capture_invalid(const char *call) {
    return rt_fail(cudaErrorStreamCaptureInvalidated, call,
                   _("the capture failed at a call before this one; end it with "
                     "cudaStreamEndCapture, and begin again"));
}

bool gr_capture_joined(const gr_capture *capture, bool *joined) {
    gr_nodes work = {0};
    char *seen = calloc(capture->graph->nodes.n + 1, 1);
    bool good = seen != NULL && gr_nodes_copy(&work, &capture->lanes->at);
    while (good && work.n > 0) {
        const struct CUgraphNode_st *node = work.at[--work.n];
        if (!seen[node->index]) {
            seen[node->index] = 1;
            if ((good = gr_nodes_reserve(&work, node->before.n)))
                for (size_t i = 0; i < node->before.n; i++)
                    gr_nodes_put(&work, node->before.at[i]);
        }
    }
    *joined = true;
    for (const gr_lane *lane = capture->lanes->next; good && lane != NULL; lane = lane->next) {
        for (size_t i = 0; i < lane->at.n; i++)
            *joined = *joined && seen[lane->at.at[i]->index];
    }
    free(seen);
    gr_nodes_free(&work);
    return good;
}

/* ---- work --------------------------------------------------------------------------------- */

static cudaError_t waits_for_capture(const char *call) {
    return rt_fail(cudaErrorStreamCaptureImplicit, call,
                   _("the default stream waits for all other streams, and one of them is captured; "
                     "give the call a stream, or capture one made with cudaStreamNonBlocking"));
}

/* Returns the error for work in the legacy stream, or cudaSuccess. Such work would wait for
 * captured streams, whose work does not run. */
cudaError_t gr_legacy_works(const char *call) {
    bool found = false;
    for (gr_capture *c = captures; c != NULL; c = c->next) {
        for (const gr_lane *lane = c->lanes; lane != NULL; lane = lane->next) {
            if (lane->blocking)
                found = c->invalid = true;
        }
    }
    return found ? waits_for_capture(call) : cudaSuccess;
}

cudaError_t gr_legacy_asked(const char *call) {
    for (const gr_capture *c = captures; c != NULL; c = c->next) {
        for (const gr_lane *lane = c->lanes; lane != NULL; lane = lane->next) {
            if (lane->blocking)
                return waits_for_capture(call);
        }
    }
    return cudaSuccess;
}

static cudaError_t add(const char *call, gr_lane *lane, const rt_work *work) {
    if (lane->capture->invalid)
        return gr_capture_invalid(call);
    cudaGraphNode_t node = gr_nodes_reserve(&lane->at, 1)
                               ? gr_node_new(lane->capture->graph, lane->at.at, lane->at.n, work)
                               : NULL;
    if (node == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
    lane->at.n = 0;
    gr_nodes_put(&lane->at, node);
    return cudaSuccess;
}

bool rt_capture_work(const char *call, cudaStream_t stream, const rt_work *work,
                     cudaError_t *code) {
    if (quiet())
        return false;
    RT_LOCKED();
    gr_lane *lane = gr_lane_of(stream);
    *code = lane != NULL        ? add(call, lane, work)
            : is_legacy(stream) ? gr_legacy_works(call)
                                : cudaSuccess;
    return lane != NULL || *code != cudaSuccess;
}

cudaGraph_t gr_captured_graph(cudaStream_t stream) {
    if (quiet())
        return NULL;
    RT_LOCKED();
    const gr_lane *lane = gr_lane_of(stream);
    return lane != NULL ? lane->capture->graph : NULL;
}

/* Ends the stream's capture, because the call cannot be captured. */
static cudaError_t unsupported(const char *call, gr_lane *lane, const char *why) {
    lane->capture->invalid = true;
    return rt_fail(cudaErrorStreamCaptureUnsupported, call, "%s", why);
}

cudaError_t rt_capture_failed(cudaStream_t stream, cudaError_t code) {
    RT_LOCKED();
    gr_lane *lane = quiet() ? NULL : gr_lane_of(stream);
    if (lane == NULL)
        return code;
    if (code == cudaErrorInvalidDeviceFunction) /* taken for a handle */
        return cudaErrorInvalidResourceHandle;
    lane->capture->invalid = true;
    return code;
}

/* ---- calls without a stream --------------------------------------------------------------- */

static bool prohibits(const gr_capture *c) {
    if (gr_thread_mode == cudaStreamCaptureModeRelaxed || c->mode == cudaStreamCaptureModeRelaxed)
        return false;
    return pthread_equal(c->thread, pthread_self()) ||
           (gr_thread_mode == cudaStreamCaptureModeGlobal &&
            c->mode == cudaStreamCaptureModeGlobal);
}

/* The caller holds the lock. */
static cudaError_t unsafe(const char *call) {
    bool found = false;
    for (gr_capture *c = captures; c != NULL; c = c->next) {
        if (prohibits(c))
            found = c->invalid = true;
    }
    if (!found)
        return cudaSuccess;
    return rt_fail(
        cudaErrorStreamCaptureUnsupported, call,
        _("a stream is captured, and %s would be no part of its graph: call it before, or "
          "begin with cudaStreamCaptureModeRelaxed"),
        call);
}

cudaError_t rt_capture_unsafe(const char *call) {
    if (quiet())
        return cudaSuccess;
    RT_LOCKED();
    return unsafe(call);
}

/* ---- waiting ------------------------------------------------------------------------------- */

/* Ends a capture of the stream for the reason `why`. For another stream, returns what `other`
 * says. */
static cudaError_t refuse(const char *call, cudaStream_t stream, const char *why,
                          cudaError_t (*other)(const char *call)) {
    if (quiet())
        return cudaSuccess;
    RT_LOCKED();
    gr_lane *lane = gr_lane_of(stream);
    return lane != NULL        ? unsupported(call, lane, why)
           : is_legacy(stream) ? gr_legacy_works(call)
           : other             ? other(call)
                               : cudaSuccess;
}

cudaError_t rt_capture_refuse(const char *call, cudaStream_t stream) {
    return refuse(call, stream, _("the stream is captured, and this can't be part of a graph"),
                  NULL);
}

SOFTGPU_API int softgpu_refuse_captured(const char *call, void *stream) {
    return (int)rt_capture_refuse(call, stream);
}

cudaError_t rt_capture_await(const char *call, cudaStream_t stream) {
    return refuse(call, stream,
                  _("the stream is captured: its work is only recorded, and runs when the "
                    "graph is launched; wait after that"),
                  unsafe);
}

cudaError_t rt_capture_await_all(const char *call) {
    bool found = false;
    if (quiet())
        return cudaSuccess;
    RT_LOCKED();
    for (gr_capture *c = captures; c != NULL; c = c->next)
        found = c->invalid = true;
    if (!found)
        return cudaSuccess;
    return rt_fail(cudaErrorStreamCaptureUnsupported, call,
                   _("a stream is captured: its work is only recorded, and runs when the graph is "
                     "launched; wait after that"));
}

/* ---- events ------------------------------------------------------------------------------- */

static void unmark(cudaEvent_t event) {
    mark *m = rt_map_get(&marks, event);
    if (m == NULL)
        return;
    rt_map_remove(&marks, event);
    gr_nodes_free(&m->at);
    free(m);
    under_way--;
}

static cudaError_t set_mark(const char *call, cudaEvent_t event, const gr_lane *lane) {
    unmark(event);
    mark *m = calloc(1, sizeof *m);
    if (m != NULL && gr_nodes_copy(&m->at, &lane->at) && rt_map_put(&marks, event, m)) {
        m->capture = lane->capture->id;
        under_way++;
        return cudaSuccess;
    }
    if (m != NULL)
        gr_nodes_free(&m->at);
    free(m);
    return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
}

static cudaError_t record(const char *call, cudaEvent_t event, gr_lane *lane, unsigned flags) {
    if (lane->capture->invalid)
        return gr_capture_invalid(call);
    if (flags & cudaEventRecordExternal) {
        unmark(event);
        return add(call, lane, &(rt_work){.type = cudaGraphNodeTypeEventRecord, .event = event});
    }
    return set_mark(call, event, lane);
}

bool rt_capture_record(const char *call, cudaEvent_t event, cudaStream_t stream, unsigned flags,
                       cudaError_t *code) {
    if (quiet() && flags == 0)
        return false;
    RT_LOCKED();
    gr_lane *lane = gr_lane_of(stream);
    if (lane != NULL)
        *code = record(call, event, lane, flags);
    else if (flags & cudaEventRecordExternal)
        *code = rt_fail(cudaErrorIllegalState, call,
                        _("cudaEventRecordExternal is for streams that are captured"));
    else if (is_legacy(stream))
        *code = gr_legacy_works(call);
    if (lane == NULL && *code == cudaSuccess)
        unmark(event);
    return lane != NULL || *code != cudaSuccess;
}

/* Lets a stream join a capture by waiting for an event of it. */
static cudaError_t join(const char *call, gr_lane *lane, gr_capture *capture, cudaStream_t stream,
                        const mark *m) {
    if (capture->invalid)
        return gr_capture_invalid(call);
    if (lane != NULL && lane->capture != capture) {
        lane->capture->invalid = capture->invalid = true;
        return rt_fail(
            cudaErrorStreamCaptureMerge, call,
            _("the event and the stream belong to different captures; a graph comes from "
              "one capture"));
    }
    if (lane == NULL)
        lane = lane_new(capture, stream);
    bool good = lane != NULL && gr_nodes_reserve(&lane->at, m->at.n);
    for (size_t i = 0; good && i < m->at.n; i++) {
        if (!gr_nodes_has(&lane->at, m->at.at[i]))
            gr_nodes_put(&lane->at, m->at.at[i]);
    }
    return good ? cudaSuccess
                : rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
}

/* Ends the capture of a stream that waits for an event outside any capture. */
static cudaError_t isolated(const char *call, gr_lane *lane) {
    if (lane->capture->invalid)
        return gr_capture_invalid(call);
    lane->capture->invalid = true;
    return rt_fail(cudaErrorStreamCaptureIsolation, call,
                   _("the stream is captured, and the event was recorded outside of its capture; "
                     "cudaEventWaitExternal makes waiting for it a node of the graph"));
}

/* Refuses an event whose capture has ended or failed. */
static cudaError_t bygone(const char *call, gr_lane *lane) {
    if (lane != NULL)
        lane->capture->invalid = true;
    return rt_fail(cudaErrorInvalidValue, call,
                   _("the event was recorded in a capture that has ended: record it again"));
}

static cudaError_t join_event(const char *call, cudaStream_t stream, cudaEvent_t event) {
    gr_lane *lane = gr_lane_of(stream);
    const mark *m = rt_map_get(&marks, event);
    gr_capture *capture = m != NULL ? capture_of(m->capture) : NULL;
    if (capture != NULL && is_legacy(stream)) {
        capture->invalid = true;
        return waits_for_capture(call);
    }
    if (m != NULL && capture == NULL)
        return bygone(call, lane);
    if (capture != NULL)
        return join(call, lane, capture, stream, m);
    if (lane != NULL && rt_event_recorded(event))
        return isolated(call, lane);
    return is_legacy(stream) ? gr_legacy_works(call) : cudaSuccess;
}

cudaError_t rt_capture_join(const char *call, cudaStream_t stream, cudaEvent_t event,
                            unsigned flags) {
    if (quiet() && flags == 0)
        return cudaSuccess;
    RT_LOCKED();
    gr_lane *lane = gr_lane_of(stream);
    if (flags == 0)
        return join_event(call, stream, event);
    if (lane != NULL)
        return add(call, lane, &(rt_work){.type = cudaGraphNodeTypeWaitEvent, .event = event});
    return rt_fail(cudaErrorInvalidValue, call,
                   _("cudaEventWaitExternal is for streams that are captured"));
}

static cudaError_t captured_event(const char *call) {
    return rt_fail(
        cudaErrorCapturedEvent, call,
        _("the event was recorded in a stream that is captured: nothing is reached before "
          "the graph is launched"));
}

/* The state of an event: not marked, or its capture is active, or it has ended or failed. */
typedef enum ask { UNMARKED, UNDER_WAY, BYGONE } ask;

static ask ask_mark(cudaEvent_t event, gr_capture **capture) {
    const mark *m = rt_map_get(&marks, event);
    *capture = m != NULL ? capture_of(m->capture) : NULL;
    return m == NULL ? UNMARKED : *capture != NULL && !(*capture)->invalid ? UNDER_WAY : BYGONE;
}

cudaError_t rt_capture_time(const char *call, cudaEvent_t event) {
    gr_capture *capture;
    if (quiet())
        return cudaSuccess;
    RT_LOCKED();
    ask found = ask_mark(event, &capture);
    return found == UNDER_WAY ? captured_event(call)
           : found == BYGONE  ? bygone(call, NULL)
                              : cudaSuccess;
}

cudaError_t rt_capture_event(const char *call, cudaEvent_t event) {
    gr_capture *capture;
    if (quiet())
        return cudaSuccess;
    RT_LOCKED();
    ask found = ask_mark(event, &capture);
    if (found == UNDER_WAY)
        capture->invalid = true;
    return found == UNDER_WAY ? captured_event(call)
           : found == BYGONE  ? bygone(call, NULL)
                              : unsafe(call);
}

/* ---- destroyed handles -------------------------------------------------------------------- */

void rt_capture_forget_event(cudaEvent_t event) {
    if (quiet())
        return;
    RT_LOCKED();
    unmark(event);
}

void rt_capture_forget_stream(cudaStream_t stream) {
    if (quiet())
        return;
    RT_LOCKED();
    gr_lane *lane = gr_lane_of(stream);
    gr_capture *capture = lane != NULL ? lane->capture : NULL;
    if (capture != NULL && capture->lanes == lane) {
        gr_capture_drop(capture);
    } else if (capture != NULL) { /* its work still has to be joined */
        rt_map_remove(&lanes, lane->key);
        lane->key = NULL;
    }
}
