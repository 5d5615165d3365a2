/* build.c: builds graphs node by node. */
#include "runtime/softgpu/cudart/graph/graph.h"

cudaError_t gr_plain_check(const char *call, const cudaGraphEdgeData *data, size_t n) {
    static const cudaGraphEdgeData plain;
    for (size_t i = 0; data != NULL && i < n; i++) {
        if (memcmp(&data[i], &plain, sizeof plain) != 0)
            return rt_refuse(SG_REFUSED_PROGRAMMATIC_EDGES, call);
    }
    return cudaSuccess;
}

bool gr_are_nodes(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t n) {
    bool good = n == 0 || nodes != NULL;
    for (size_t i = 0; good && i < n; i++) {
        good = gr_node_live(nodes[i]) && nodes[i]->graph == graph;
        for (size_t k = 0; good && k < i; k++)
            good = nodes[k] != nodes[i];
    }
    return good;
}

static cudaError_t check_place(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                               const cudaGraphNode_t *before, size_t n) {
    if (out == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the pointer to write to is NULL"));
    RT_ALLOWED(gr_graph_check(call, graph));
    if (!gr_are_nodes(graph, before, n))
        return rt_fail(cudaErrorInvalidValue, call,
                       _("the dependencies of a node must be nodes of its graph, each only once"));
    return rt_sticky(call);
}

cudaError_t gr_add(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                   const cudaGraphNode_t *before, size_t n, const rt_work *work) {
    RT_ALLOWED(check_place(call, out, graph, before, n));
    cudaGraphNode_t node = gr_node_new(graph, before, n, work);
    if (node == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
    *out = node;
    return cudaSuccess;
}

cudaError_t gr_replace(const char *call, cudaGraphNode_t node, const rt_work *work) {
    rt_work copy;
    RT_ALLOWED(gr_type_check(call, node, work->type));
    if (!gr_work_copy(&copy, work, node->graph->listed))
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
    free(node->arguments);
    node->arguments = NULL;
    if (copy.type == cudaGraphNodeTypeKernel) { /* keeps the attributes */
        copy.launch.cooperative = node->work.launch.cooperative;
        copy.launch.cluster = node->work.launch.cluster;
    }
    gr_work_free(&node->work);
    node->work = copy;
    if (copy.type == cudaGraphNodeTypeGraph)
        copy.graph->inside = node;
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    RT_ENTER();
    RT_OUT(graph);
    if (flags != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("the flags are %#x"), flags);
    *graph = gr_graph_new(true);
    return *graph != NULL ? cudaSuccess
                          : RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a graph"));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    GR_GRAPH(graph);
    if (graph->inside != NULL || graph->captured)
        return RT_FAIL(cudaErrorInvalidValue,
                       _("the graph belongs to a node of another one, or is captured into"));
    gr_graph_free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *copy, cudaGraph_t graph) {
    RT_ENTER();
    RT_OUT(copy);
    GR_GRAPH(graph);
    if (graph->has_memory)
        return RT_FAIL(cudaErrorNotSupported,
                       _("a graph that allocates or frees memory can't be copied"));
    *copy = gr_graph_copy(graph, true);
    return *copy != NULL ? cudaSuccess
                         : RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a graph"));
}

/* Adds a node with the work of a maker. The maker's call is the last argument. */
#define ADD(make)                                                                                  \
    do {                                                                                           \
        rt_work work = {.type = cudaGraphNodeTypeEmpty};                                           \
        cudaError_t code = make;                                                                   \
        if (code != cudaSuccess)                                                                   \
            return code;                                                                           \
        code = gr_add(__func__, out, graph, before, n, &work);                                     \
        gr_made_free(&work);                                                                       \
        return code;                                                                               \
    } while (0)
#define PLACE cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t n

#define NODE(kind, setter, variant, parameters, make)                                              \
    cudaError_t cudaGraphAdd##kind##variant(PLACE, GR_LIST parameters) {                           \
        ADD(make);                                                                                 \
    }
#include "runtime/softgpu/cudart/graph/kinds.inc"

cudaError_t cudaGraphAddChildGraphNode(PLACE, cudaGraph_t child) {
    if (child == graph)
        return RT_FAIL(cudaErrorInvalidValue, _("a graph can't be inside itself"));
    ADD(gr_make_child(__func__, child, &work));
}

cudaError_t cudaGraphAddEmptyNode(PLACE) {
    const rt_work work = {.type = cudaGraphNodeTypeEmpty};
    return gr_add(__func__, out, graph, before, n, &work);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                             const cudaGraphEdgeData *data, size_t n,
                             struct cudaGraphNodeParams *p) {
    GR_PLAIN(data, n);
    if (p == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the parameters are NULL"));
    if (p->type == cudaGraphNodeTypeMemAlloc)
        return gr_add_alloc(__func__, out, graph, before, n, &p->alloc);
    if (p->type == cudaGraphNodeTypeMemFree)
        return gr_add_free(__func__, out, graph, before, n, p->free.dptr);
    ADD(gr_make_any(__func__, p, &work));
}
