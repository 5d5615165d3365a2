/* stream.c: begins, ends and queries stream captures. */
#include "runtime/softgpu/cudart/graph/capture.h"

static bool is_legacy(cudaStream_t stream) {
    return stream == NULL || stream == cudaStreamLegacy;
}

static cudaError_t begin(const char *call, cudaStream_t stream, enum cudaStreamCaptureMode mode,
                         cudaGraph_t graph, const cudaGraphNode_t *before, size_t n) {
    RT_LOCKED();
    RT_ALLOWED(rt_stream_check(call, stream));
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return rt_fail(cudaErrorInvalidValue, call, _("%d is not a mode of a capture"), (int)mode);
    if (is_legacy(stream)) {
        RT_ALLOWED(gr_legacy_works(call));
        return rt_fail(
            cudaErrorStreamCaptureUnsupported, call,
            _("the default stream can't be captured; make a stream with cudaStreamCreate"));
    }
    if (gr_lane_of(stream) != NULL)
        return rt_fail(cudaErrorIllegalState, call, _("the stream is captured already"));
    gr_capture *capture = gr_capture_begin(stream, mode, graph);
    if (capture == NULL || !gr_nodes_copy(&capture->lanes->at, &(gr_nodes){(void *)before, n, n}))
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    return begin(__func__, stream, mode, NULL, NULL, 0);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *before,
                                          const cudaGraphEdgeData *data, size_t n,
                                          enum cudaStreamCaptureMode mode) {
    RT_ENTER();
    GR_GRAPH(graph);
    GR_PLAIN(data, n);
    if (!gr_are_nodes(graph, before, n))
        return RT_FAIL(cudaErrorInvalidValue,
                       _("the nodes to begin the capture behind are not nodes of the graph"));
    return begin(__func__, stream, mode, graph, before, n);
}

/* Ends a capture and sets *graph to its graph, or to NULL on failure. With graph NULL, discards
 * it. */
static cudaError_t finish(const char *call, gr_capture *capture, cudaGraph_t *graph) {
    bool invalid = capture->invalid, borrowed = capture->borrowed, joined;
    bool good = gr_capture_joined(capture, &joined);
    cudaGraph_t made = capture->graph;
    gr_capture_end(capture);
    bool whole = good && joined && !invalid;
    if (whole && graph != NULL)
        *graph = made;
    else if (!borrowed)
        gr_graph_free(made);
    if (whole)
        return cudaSuccess;
    if (invalid)
        return gr_capture_invalid(call);
    if (!good)
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
    return rt_fail(cudaErrorStreamCaptureUnjoined, call,
                   _("a stream that the capture has spread to did work that this one does not wait "
                     "for; record an event there, and wait for it here before the end"));
}

static cudaError_t end(const char *call, cudaStream_t stream, cudaGraph_t *graph) {
    gr_lane *lane = gr_lane_of(stream);
    if (lane == NULL)
        return rt_fail(cudaErrorIllegalState, call, _("the stream is not captured"));
    gr_capture *capture = lane->capture;
    if (capture->lanes != lane) {
        capture->invalid = true;
        return rt_fail(cudaErrorStreamCaptureUnmatched, call,
                       _("the capture began in another stream, and is to be ended there"));
    }
    if (capture->mode == cudaStreamCaptureModeRelaxed ||
        pthread_equal(capture->thread, pthread_self()))
        return finish(call, capture, graph);
    gr_capture_drop(capture); /* as on a GPU: no other stream can end it now */
    return rt_fail(
        cudaErrorStreamCaptureWrongThread, call,
        _("another thread began the capture, and not with cudaStreamCaptureModeRelaxed"));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    RT_STREAM(stream);
    if (graph != NULL)
        *graph = NULL;
    RT_LOCKED();
    return end(__func__, stream, graph);
}

/* ---- queries ------------------------------------------------------------------------------ */

static enum cudaStreamCaptureStatus status_of(const gr_lane *lane) {
    return lane == NULL             ? cudaStreamCaptureStatusNone
           : lane->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    RT_STREAM(stream);
    RT_OUT(status);
    RT_LOCKED();
    *status = status_of(gr_lane_of(stream));
    return is_legacy(stream) ? gr_legacy_asked(__func__) : cudaSuccess;
}

static bool plain_edges(gr_lane *lane) {
    free(lane->edges);
    lane->edges = calloc(lane->at.n + 1, sizeof *lane->edges);
    return lane->edges != NULL;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **before,
                                     const cudaGraphEdgeData **edges, size_t *n) {
    RT_STREAM(stream);
    RT_OUT(status);
    RT_LOCKED();
    gr_lane *lane = gr_lane_of(stream);
    *status = status_of(lane);
    if (*status != cudaStreamCaptureStatusActive)
        return is_legacy(stream) ? gr_legacy_asked(__func__) : cudaSuccess;
    if (edges != NULL && !plain_edges(lane))
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a graph"));
    if (id != NULL)
        *id = lane->capture->id;
    if (graph != NULL)
        *graph = lane->capture->graph;
    if (before != NULL)
        *before = lane->at.at;
    if (edges != NULL)
        *edges = lane->edges;
    if (n != NULL)
        *n = lane->at.n;
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *data, size_t n,
                                                unsigned flags) {
    RT_STREAM(stream);
    GR_PLAIN(data, n);
    if (flags > cudaStreamSetCaptureDependencies)
        return RT_FAIL(cudaErrorInvalidValue, _("the flags are %#x"), flags);
    RT_LOCKED();
    gr_lane *lane = gr_lane_of(stream);
    if (lane == NULL)
        return RT_FAIL(cudaErrorIllegalState, _("the stream is not captured"));
    if (lane->capture->invalid)
        return gr_capture_invalid(__func__);
    if (!gr_are_nodes(lane->capture->graph, nodes, n))
        return RT_FAIL(cudaErrorInvalidValue,
                       _("the nodes to continue the capture behind are not nodes of the graph"));
    if (!gr_nodes_reserve(&lane->at, n))
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a graph"));
    if (flags == cudaStreamSetCaptureDependencies)
        lane->at.n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!gr_nodes_has(&lane->at, nodes[i]))
            gr_nodes_put(&lane->at, nodes[i]);
    }
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (mode == NULL || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return RT_FAIL(cudaErrorInvalidValue, _("one of the three modes of a capture is needed"));
    enum cudaStreamCaptureMode old = gr_thread_mode;
    gr_thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}
