/* capture.h: captures under way: which streams take part, behind which nodes the next one of each
 * goes, and what may be done meanwhile. */
#ifndef SOFTGPU_CUDART_GRAPH_CAPTURE_H
#define SOFTGPU_CUDART_GRAPH_CAPTURE_H

#include <pthread.h>

#include "runtime/softgpu/cudart/graph/graph.h"

typedef struct gr_capture {
    uint64_t id; /* of this process, once */
    cudaGraph_t graph;
    bool borrowed; /* the graph is the program's (cudaStreamBeginCaptureToGraph) */
    enum cudaStreamCaptureMode mode;
    pthread_t thread;      /* that began it */
    bool invalid;          /* something forbidden was done: all that is left is to end it */
    struct gr_lane *lanes; /* the first one is where it began */
    struct gr_capture *next;
} gr_capture;

/* A stream that takes part. */
typedef struct gr_lane {
    const void *key; /* gr_stream_key; NULL: the stream is destroyed */
    gr_capture *capture;
    bool blocking;            /* the stream is ordered with the legacy stream */
    gr_nodes at;              /* the next node goes behind these */
    cudaGraphEdgeData *edges; /* zeroed ones for `at`, once asked for */
    struct gr_lane *next;
} gr_lane;

/* The graph that a stream is captured into, or NULL. */
cudaGraph_t gr_captured_graph(cudaStream_t stream);
/* All of what follows under rt_lock. */
gr_lane *gr_lane_of(cudaStream_t stream); /* NULL: it captures nothing */
gr_capture *gr_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode,
                             cudaGraph_t graph); /* NULL: no memory */
void gr_capture_end(gr_capture *capture);        /* its streams capture nothing any more */
void gr_capture_drop(gr_capture *capture);       /* and there is no graph of it */
/* Whether the stream where it began is behind all that the others did; false: no memory. */
bool gr_capture_joined(const gr_capture *capture, bool *joined);
cudaError_t gr_capture_invalid(const char *call);
/* Where captures have streams that are ordered with the legacy stream: what work in that one
 * returns, which ends those captures, and what asking about it returns. */
cudaError_t gr_legacy_works(const char *call);
cudaError_t gr_legacy_asked(const char *call);

extern _Thread_local enum cudaStreamCaptureMode gr_thread_mode;

#endif
