/* graph.h: graphs as data: nodes that keep a piece of work each (../work.h), and which of them come
 * before which. What runs them is exec.h's.
 *
 * Handles that programs pass are looked up before they are followed: gr_*_live. Graphs are not safe
 * to change from two threads at once, as CUDA's are not; looking handles up is. */
#ifndef SOFTGPU_CUDART_GRAPH_H
#define SOFTGPU_CUDART_GRAPH_H

#include "runtime/softgpu/cudart/work.h"

typedef struct gr_nodes {
    cudaGraphNode_t *at;
    size_t n, room;
} gr_nodes;

struct CUgraphNode_st {
    cudaGraph_t graph;
    rt_work work;     /* owned: parameters, a graph inside, a hold on memory */
    uint64_t id;      /* of this process, once */
    uint64_t origin;  /* of the node that this is a copy of; its own where it is none */
    size_t index;     /* in its graph's nodes */
    int priority;     /* of a kernel: kept, of no effect */
    void **arguments; /* of a kernel, once asked for: where each lies in its parameters; owned */
    bool disabled;    /* in an instance only */
    gr_nodes before, after;
};

struct CUgraph_st {
    gr_nodes nodes;         /* as they were made */
    cudaGraphNode_t *order; /* of an instance: each behind those it waits for; nodes.n of them */
    cudaGraphNode_t inside; /* the node that owns it, or NULL */
    bool listed;            /* programs may name it and its nodes: all but an instance's */
    bool captured;          /* a capture adds to it */
    bool has_memory;        /* nodes that allocate or free */
    struct gr_object_use *objects; /* what it holds of user objects (object.c) */
};

/* Room for n more; false: no memory. */
bool gr_nodes_reserve(gr_nodes *list, size_t n);
bool gr_nodes_has(const gr_nodes *list, cudaGraphNode_t node);
void gr_nodes_put(gr_nodes *list, cudaGraphNode_t node); /* after gr_nodes_reserve */
bool gr_nodes_copy(gr_nodes *to, const gr_nodes *from);  /* replaces; false: no memory, unchanged */
void gr_nodes_free(gr_nodes *list);

cudaGraph_t gr_graph_new(bool listed); /* NULL: no memory */
void gr_graph_free(cudaGraph_t graph); /* and all in it; NULL is allowed */
/* The same nodes and edges; nodes' origin leads back. NULL: no memory. */
cudaGraph_t gr_graph_copy(cudaGraph_t graph, bool listed);
bool gr_graph_live(cudaGraph_t graph);
bool gr_node_live(cudaGraphNode_t node);

/* A node with a copy of the work, behind `before` (checked by the caller). NULL: no memory, and
 * nothing has changed. */
cudaGraphNode_t gr_node_new(cudaGraph_t graph, const cudaGraphNode_t *before, size_t n,
                            const rt_work *work);
void gr_node_free(cudaGraphNode_t node);                    /* out of its graph */
bool gr_edge_new(cudaGraphNode_t from, cudaGraphNode_t to); /* false: no memory */
void gr_edge_free(cudaGraphNode_t from, cudaGraphNode_t to);

/* Fills graph->order, the one closest to how nodes were made, and those of the graphs inside.
 * false: *stuck is one that waits for itself by its edges, or memory is lacking and it is NULL. */
bool gr_graph_sort(cudaGraph_t graph, cudaGraphNode_t *stuck);
/* The copy of a node in `graph` or in a graph inside it, or NULL. */
cudaGraphNode_t gr_node_copy_in(cudaGraph_t graph, uint64_t origin, size_t index);

/* ---- work (work.c) ------------------------------------------------------------------------ */

bool gr_work_copy(rt_work *to, const rt_work *from, bool listed); /* false: no memory */
void gr_work_free(rt_work *work);
/* What is wrong with it, before a node gets it and before each run. */
cudaError_t gr_work_check(const char *call, const rt_work *work);
cudaError_t gr_work_run(const char *call, rt_work *work, bool *in_a_row); /* as exec.h says */

/* Whether all are nodes of the graph, once each. */
bool gr_are_nodes(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t n);
/* Whether edges are ordinary ones; data may be NULL. */
bool gr_plain(const cudaGraphEdgeData *data, size_t n);

/* ---- what programs ask with ---------------------------------------------------------------- */

/* What a call returns for a handle that is none, with a sentence. */
cudaError_t gr_no_graph(const char *call);
cudaError_t gr_no_node(const char *call);
cudaError_t gr_no_instance(const char *call);
cudaError_t gr_not_plain(const char *call);

#define GR_GRAPH(graph)                                                                            \
    do {                                                                                           \
        if (!gr_graph_live(graph))                                                                 \
            return gr_no_graph(__func__);                                                          \
    } while (0)
#define GR_NODE(node)                                                                              \
    do {                                                                                           \
        if (!gr_node_live(node))                                                                   \
            return gr_no_node(__func__);                                                           \
    } while (0)
#define GR_PLAIN(data, n)                                                                          \
    do {                                                                                           \
        if (!gr_plain(data, n))                                                                    \
            return gr_not_plain(__func__);                                                         \
    } while (0)

#endif
