/* capture.h: active captures: their streams, the nodes before the next one of each stream, and the
 * calls that are allowed meanwhile. */
#pragma once

#include <pthread.h>

#include "runtime/softgpu/cudart/graph/graph.h"

typedef struct gr_capture {
    uint64_t id; /* unique in this process */
    cudaGraph_t graph;
    bool borrowed; /* the program owns the graph (cudaStreamBeginCaptureToGraph) */
    enum cudaStreamCaptureMode mode;
    pthread_t thread;      /* the thread that began it */
    bool invalid;          /* a forbidden call was made, so it can only be ended */
    struct gr_lane *lanes; /* first the stream where it began */
    struct gr_capture *next;
} gr_capture;

/* A stream of a capture. */
typedef struct gr_lane {
    const void *key; /* gr_stream_key(); NULL: the stream is destroyed */
    gr_capture *capture;
    bool blocking;            /* the stream is ordered with the legacy stream */
    gr_nodes at;              /* the nodes before the next one */
    cudaGraphEdgeData *edges; /* zeroed data for `at`, after the first query */
    struct gr_lane *next;
} gr_lane;

/* Returns the graph that captures the stream, or NULL. */
cudaGraph_t gr_captured_graph(cudaStream_t stream);
/* The caller of the functions below holds rt_lock. */
gr_lane *gr_lane_of(cudaStream_t stream); /* NULL: not captured */
gr_capture *gr_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode,
                             cudaGraph_t graph); /* NULL: no memory */
void gr_capture_end(gr_capture *capture);        /* its streams are no longer captured */
void gr_capture_drop(gr_capture *capture);       /* also frees the graph */
/* Sets *joined to whether the first stream waits for all others. Returns false without memory. */
bool gr_capture_joined(const gr_capture *capture, bool *joined);
cudaError_t gr_capture_invalid(const char *call);
/* If captured streams are ordered with the legacy stream: the result of work in the legacy stream,
 * which ends those captures, and the result of a query. */
cudaError_t gr_legacy_works(const char *call);
cudaError_t gr_legacy_asked(const char *call);

extern _Thread_local enum cudaStreamCaptureMode gr_thread_mode;
