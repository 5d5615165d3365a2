/* query.c: queries of a graph's nodes and edges. */
#include "runtime/softgpu/cudart/graph/graph.h"

static cudaError_t no_room(const char *call) {
    return rt_fail(cudaErrorInvalidValue, call,
                   _("the list has room for no entry; pass NULL to get the number of entries"));
}

/* Returns a list as CUDA does: without `out` its length, else up to *n nodes followed by NULL. Then
 * *n stays. */
static cudaError_t give(const char *call, const gr_nodes *list, cudaGraphNode_t *out, size_t *n) {
    if (out != NULL && *n == 0)
        return no_room(call);
    size_t some = out == NULL || *n > list->n ? list->n : *n;
    for (size_t i = 0; out != NULL && i < *n; i++)
        out[i] = i < list->n ? list->at[i] : NULL;
    *n = some;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    RT_ENTER();
    GR_GRAPH(graph);
    RT_OUT(n);
    return give(__func__, &graph->nodes, nodes, n);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    gr_nodes roots = {0};
    RT_ENTER();
    GR_GRAPH(graph);
    RT_OUT(n);
    if (!gr_nodes_reserve(&roots, graph->nodes.n))
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a graph"));
    for (size_t i = 0; i < graph->nodes.n; i++) {
        if (graph->nodes.at[i]->before.n == 0)
            gr_nodes_put(&roots, graph->nodes.at[i]);
    }
    cudaError_t code = give(__func__, &roots, nodes, n);
    gr_nodes_free(&roots);
    return code;
}

static void give_plain(cudaGraphEdgeData *data, size_t n) {
    if (data != NULL)
        memset(data, 0, n * sizeof *data);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *data, size_t *n) {
    RT_ENTER();
    GR_NODE(node);
    RT_OUT(n);
    if (nodes != NULL)
        give_plain(data, *n);
    return give(__func__, &node->before, nodes, n);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *n) {
    RT_ENTER();
    GR_NODE(node);
    RT_OUT(n);
    if (nodes != NULL)
        give_plain(data, *n);
    return give(__func__, &node->after, nodes, n);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *n) {
    size_t found = 0;
    RT_ENTER();
    GR_GRAPH(graph);
    RT_OUT(n);
    if ((from == NULL) != (to == NULL))
        return RT_FAIL(cudaErrorInvalidValue, _("give a list for each end of the edges"));
    if (from != NULL && *n == 0)
        return no_room(__func__);
    for (size_t i = 0; i < graph->nodes.n; i++) {
        cudaGraphNode_t node = graph->nodes.at[i];
        for (size_t k = 0; k < node->after.n; k++, found++) {
            if (from != NULL && found < *n) {
                from[found] = node;
                to[found] = node->after.at[k];
            }
        }
    }
    for (size_t i = found; from != NULL && i < *n; i++)
        from[i] = to[i] = NULL;
    if (from != NULL)
        give_plain(data, *n);
    if (from == NULL || *n > found)
        *n = found;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    RT_ENTER();
    GR_NODE(node);
    RT_OUT(type);
    *type = node->work.type;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t node,
                                     cudaGraph_t clone) {
    RT_ENTER();
    RT_OUT(out);
    GR_NODE(node);
    GR_GRAPH(clone);
    cudaGraphNode_t found =
        node->graph == clone ? NULL : gr_node_copy_in(clone, node->id, node->index);
    if (found == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the graph has no copy of that node"));
    *out = found;
    return cudaSuccess;
}

/* ---- edges -------------------------------------------------------------------------------- */

static bool has_edge(cudaGraphNode_t from, cudaGraphNode_t to) {
    return from->after.n < to->before.n ? gr_nodes_has(&from->after, to)
                                        : gr_nodes_has(&to->before, from);
}

/* Returns true if edge i can be added or removed. Earlier edges of the list already are. */
static bool fits(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                 size_t i, bool there) {
    return gr_node_live(from[i]) && gr_node_live(to[i]) && from[i]->graph == graph &&
           to[i]->graph == graph && from[i] != to[i] && has_edge(from[i], to[i]) == there;
}

static void undo(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n, bool made) {
    while (n-- > 0) {
        if (made)
            gr_edge_free(from[n], to[n]);
        else
            gr_edge_new(from[n], to[n]); /* room was reserved before */
    }
}

static cudaError_t change(const char *call, cudaGraph_t graph, const cudaGraphNode_t *from,
                          const cudaGraphNode_t *to, size_t n, bool make) {
    cudaError_t code = cudaSuccess;
    RT_ALLOWED(rt_sticky(call));
    if (!gr_graph_live(graph) || (n > 0 && (from == NULL || to == NULL)))
        return rt_fail(cudaErrorInvalidValue, call,
                       _("a graph, and both ends of edges are needed"));
    if (!make && graph->has_memory)
        return rt_fail(cudaErrorNotSupported, call,
                       _("a graph that allocates or frees memory cannot lose an edge or a node"));
    for (size_t i = 0; i < n; i++) {
        if (!fits(graph, from, to, i, !make))
            code = rt_fail(
                cudaErrorInvalidValue, call,
                make ? _("edge %zu is there already, or does not join two nodes of the graph")
                     : _("edge %zu is not there"),
                i);
        else if (!make)
            gr_edge_free(from[i], to[i]);
        else if (!gr_edge_new(from[i], to[i]))
            code = rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
        if (code != cudaSuccess) {
            undo(from, to, i, make);
            return code;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t n) {
    GR_PLAIN(data, n);
    return change(__func__, graph, from, to, n, true);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                        size_t n) {
    GR_PLAIN(data, n);
    return change(__func__, graph, from, to, n, false);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    RT_ENTER();
    GR_NODE(node);
    if (node->graph->captured)
        return RT_FAIL(cudaErrorInvalidValue, _("the graph is captured into"));
    if (node->graph->has_memory)
        return RT_FAIL(cudaErrorNotSupported,
                       _("a graph that allocates or frees memory cannot lose an edge or a node"));
    gr_node_free(node);
    return cudaSuccess;
}
