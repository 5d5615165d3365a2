/* graph.h: graphs as data: nodes with their work (../work.h), and the edges between them. exec.h
 * runs them.
 *
 * gr_*_live() checks the handles of programs before use. As in CUDA, two threads must not change a
 * graph at the same time. Checking handles is thread-safe. */
#ifndef SOFTGPU_CUDART_GRAPH_H
#define SOFTGPU_CUDART_GRAPH_H

#include "runtime/softgpu/cudart/work.h"

typedef struct gr_nodes {
    cudaGraphNode_t *at;
    size_t n, room;
} gr_nodes;

struct CUgraphNode_st {
    cudaGraph_t graph;
    rt_work work;     /* owned: parameters, a child graph, a hold on memory */
    uint64_t id;      /* unique in this process */
    uint64_t origin;  /* id of the node that it copies; its own id if it is no copy */
    size_t index;     /* in the graph's nodes */
    int priority;     /* of a kernel: stored, without effect */
    void **arguments; /* of a kernel, after the first query: pointers to its parameters; owned */
    bool disabled;    /* in an instance only */
    gr_nodes before, after;
};

struct CUgraph_st {
    gr_nodes nodes;         /* in the order of creation */
    cudaGraphNode_t *order; /* of an instance: nodes.n of them, each behind those it waits for */
    cudaGraphNode_t inside; /* the node that owns it, or NULL */
    bool listed;            /* programs may use it and its nodes; false for an instance */
    bool captured;          /* a capture adds to it */
    bool has_memory;        /* has nodes that allocate or free */
    struct gr_object_use *objects; /* its holds on user objects (object.c) */
};

/* Makes room for n more. Returns false without memory. */
bool gr_nodes_reserve(gr_nodes *list, size_t n);
bool gr_nodes_has(const gr_nodes *list, cudaGraphNode_t node);
void gr_nodes_put(gr_nodes *list, cudaGraphNode_t node); /* after gr_nodes_reserve */
/* Replaces *to. Without memory, returns false and changes nothing. */
bool gr_nodes_copy(gr_nodes *to, const gr_nodes *from);
void gr_nodes_free(gr_nodes *list);

cudaGraph_t gr_graph_new(bool listed); /* NULL: no memory */
void gr_graph_free(cudaGraph_t graph); /* frees everything in it too; NULL is allowed */
/* Copies nodes and edges. Nodes' origins are the old nodes. Returns NULL without memory. */
cudaGraph_t gr_graph_copy(cudaGraph_t graph, bool listed);
bool gr_graph_live(cudaGraph_t graph);
bool gr_node_live(cudaGraphNode_t node);

/* Adds a node with a copy of the work, behind `before` (checked by the caller). Without memory,
 * returns NULL and changes nothing. */
cudaGraphNode_t gr_node_new(cudaGraph_t graph, const cudaGraphNode_t *before, size_t n,
                            const rt_work *work);
void gr_node_free(cudaGraphNode_t node);                    /* removes it from its graph */
bool gr_edge_new(cudaGraphNode_t from, cudaGraphNode_t to); /* false: no memory */
void gr_edge_free(cudaGraphNode_t from, cudaGraphNode_t to);

/* Fills graph->order, also in child graphs, as close to the order of creation as possible. On
 * failure returns false and sets *stuck to a node on a cycle, or to NULL without memory. */
bool gr_graph_sort(cudaGraph_t graph, cudaGraphNode_t *stuck);
/* Returns the copy of a node in `graph` or in a child graph, or NULL. */
cudaGraphNode_t gr_node_copy_in(cudaGraph_t graph, uint64_t origin, size_t index);

/* ---- work (work.c) ------------------------------------------------------------------------ */

bool gr_work_copy(rt_work *to, const rt_work *from, bool listed); /* false: no memory */
void gr_work_free(rt_work *work);
/* Checks the work, before a node receives it and before each run. */
cudaError_t gr_work_check(const char *call, const rt_work *work);
cudaError_t gr_work_run(const char *call, rt_work *work, bool *in_a_row); /* see exec.h */

/* Returns true if all are nodes of the graph, each only once. */
bool gr_are_nodes(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t n);
/* Returns true if all edges are ordinary; data may be NULL. */
bool gr_plain(const cudaGraphEdgeData *data, size_t n);

/* ---- handles from programs ----------------------------------------------------------------- */

/* Return the error for an invalid handle, and report it. */
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
