/* graph.h: graphs as data: nodes with their work (../work.h), and the edges between them; their
 * instances, their memory, and what keeps user objects alive.
 *
 * gr_*_live() checks the handles of programs before use. As in CUDA, two threads must not change a
 * graph at the same time. Checking handles is thread-safe. */
#pragma once

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

/* ---- work (work.c) ----------------------------------------------------------------------- */

bool gr_work_copy(rt_work *to, const rt_work *from, bool listed); /* false: no memory */
void gr_work_free(rt_work *work);
/* Checks the work, before a node receives it and before each run. */
cudaError_t gr_work_check(const char *call, const rt_work *work);
cudaError_t gr_work_run(const char *call, rt_work *work, bool *in_a_row); /* see gr_graph_run */

/* Returns true if all are nodes of the graph, each only once. */
bool gr_are_nodes(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t n);

/* ---- handles from programs --------------------------------------------------------------- */

/* Return cudaSuccess, or the error for an invalid handle. */
cudaError_t gr_graph_check(const char *call, cudaGraph_t graph);
cudaError_t gr_node_check(const char *call, cudaGraphNode_t node);
cudaError_t gr_type_check(const char *call, cudaGraphNode_t node, enum cudaGraphNodeType wanted);
cudaError_t gr_exec_check(const char *call, cudaGraphExec_t exec);
/* Returns an error unless all edges are ordinary; data may be NULL. */
cudaError_t gr_plain_check(const char *call, const cudaGraphEdgeData *data, size_t n);
#define GR_GRAPH(graph) RT_ALLOWED(gr_graph_check(__func__, graph))
#define GR_NODE(node) RT_ALLOWED(gr_node_check(__func__, node))
#define GR_EXEC(exec) RT_ALLOWED(gr_exec_check(__func__, exec))
#define GR_PLAIN(data, n) RT_ALLOWED(gr_plain_check(__func__, data, n))
/* Begins a call that asks a node of one type for something. */
#define GR_ASK(node, wanted, out)                                                                  \
    RT_ENTER();                                                                                    \
    GR_NODE(node);                                                                                 \
    RT_OUT(out);                                                                                   \
    RT_ALLOWED(gr_type_check(__func__, node, wanted))

/* ---- instances (exec.c) ------------------------------------------------------------------ */

struct CUgraphExec_st {
    cudaGraph_t graph; /* its own sorted copy; origins are the program's nodes */
    unsigned long long flags;
};

/* Runs a sorted graph's nodes in order, up to the first failure. *in_a_row is set after a kernel of
 * this launch has run. */
cudaError_t gr_graph_run(const char *call, cudaGraph_t graph, bool *in_a_row);

/* ---- making nodes (build.c, params.c) ---------------------------------------------------- */

/* Each maker turns a program's parameters into the work of a node, checks what can be checked
 * before the graph runs, and returns the call's result. */

/* A kernel's work owns a copy of its arguments; gr_made_free() frees it. The rest is borrowed: a
 * child graph belongs to the program until a node gets a copy. */
cudaError_t gr_make_kernel(const char *call, const struct cudaKernelNodeParams *p, rt_work *work);
cudaError_t gr_make_copy(const char *call, const struct cudaMemcpy3DParms *p, rt_work *work);
cudaError_t gr_make_copy1(const char *call, void *to, const void *from, size_t bytes,
                          enum cudaMemcpyKind kind, rt_work *work);
cudaError_t gr_make_to_symbol(const char *call, const void *symbol, const void *from, size_t bytes,
                              size_t offset, enum cudaMemcpyKind kind, rt_work *work);
cudaError_t gr_make_from_symbol(const char *call, void *to, const void *symbol, size_t bytes,
                                size_t offset, enum cudaMemcpyKind kind, rt_work *work);
cudaError_t gr_make_fill(const char *call, const struct cudaMemsetParams *p, rt_work *work);
cudaError_t gr_make_host(const char *call, const struct cudaHostNodeParams *p, rt_work *work);
cudaError_t gr_make_event(const char *call, enum cudaGraphNodeType type, cudaEvent_t event,
                          rt_work *work);
cudaError_t gr_make_child(const char *call, cudaGraph_t graph, rt_work *work);
/* For cudaGraphAddNode() and similar calls, except nodes for memory. */
cudaError_t gr_make_any(const char *call, const struct cudaGraphNodeParams *p, rt_work *work);
void gr_made_free(rt_work *work);

/* Adds a node behind other nodes, which it checks. */
cudaError_t gr_add(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                   const cudaGraphNode_t *before, size_t n, const rt_work *work);
/* Replaces a node's work by other work of the same type. */
cudaError_t gr_replace(const char *call, cudaGraphNode_t node, const rt_work *work);

/* The parameters in kinds.inc without their parentheses. */
#define GR_LIST(...) __VA_ARGS__

/* ---- memory that nodes allocate and free (holders.c) ------------------------------------- */

/* Its address is fixed when the node is made. So the memory is taken then, and released when it is
 * not allocated and no graph names it. Until then, allocating and freeing only change its state. */
struct gr_memory {
    void *base;
    size_t bytes;
    bool instance;                      /* an instance of a graph allocates it */
    size_t holds;                       /* nodes that name it */
    bool allocated;                     /* allocated and not freed since */
    bool freed_inside, freed_elsewhere; /* a node of the same graph frees it; of another graph */
    cudaGraph_t graph;                  /* the graph that allocates it; never dereferenced */
};

/* Allocates memory, held once. Returns NULL and sets err on failure. */
struct gr_memory *gr_memory_new(size_t bytes, sg_error *err);
struct gr_memory *gr_memory_find(const void *base); /* by its first byte; NULL: not a graph's */
void gr_memory_hold(struct gr_memory *memory);
void gr_memory_drop(struct gr_memory *memory);
cudaError_t gr_memory_allocate(const char *call, struct gr_memory *memory);
cudaError_t gr_memory_release(const char *call, struct gr_memory *memory);
/* Returns true if memory from the graph's nodes is still allocated. With free_it, frees it. */
bool gr_memory_left(cudaGraph_t graph, bool free_it);
/* Marks the graph's memory as used by an instance, or no longer. Returns false if it already
 * was. */
bool gr_memory_instance(cudaGraph_t graph, bool begins);
/* Add nodes that allocate and free (alloc.c). */
cudaError_t gr_add_alloc(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                         const cudaGraphNode_t *before, size_t n,
                         struct cudaMemAllocNodeParamsV2 *p);
cudaError_t gr_add_free(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                        const cudaGraphNode_t *before, size_t n, void *pointer);
/* Sets the bytes that are allocated now, and the bytes held. */
void gr_memory_usage(size_t *used, size_t *reserved);

/* ---- user objects, which graphs keep alive for the program (object.c) -------------------- */

struct gr_object_use; /* a list of objects and their numbers of holds */

bool gr_objects_copy(struct gr_object_use **to, const struct gr_object_use *from);
void gr_objects_free(struct gr_object_use **uses);
