/* graph.c: nodes, edges, graphs and their copies. */
#include "runtime/softgpu/cudart/graph/graph.h"

static rt_map graphs, nodes; /* valid handles */
static uint64_t last_id;

/* ---- lists -------------------------------------------------------------------------------- */

bool gr_nodes_reserve(gr_nodes *list, size_t n) {
    if (n <= list->room - list->n)
        return true;
    size_t room = list->room * 2 > list->n + n ? list->room * 2 : list->n + n;
    cudaGraphNode_t *at = realloc(list->at, room * sizeof *at);
    if (at == NULL)
        return false;
    list->at = at;
    list->room = room;
    return true;
}

static size_t place(const gr_nodes *list, cudaGraphNode_t node) {
    size_t i = 0;
    while (i < list->n && list->at[i] != node)
        i++;
    return i;
}

bool gr_nodes_has(const gr_nodes *list, cudaGraphNode_t node) {
    return place(list, node) < list->n;
}

void gr_nodes_put(gr_nodes *list, cudaGraphNode_t node) {
    list->at[list->n++] = node;
}

static void gr_nodes_drop(gr_nodes *list, cudaGraphNode_t node) {
    size_t i = place(list, node);
    if (i == list->n)
        return;
    list->n--;
    memmove(list->at + i, list->at + i + 1, (list->n - i) * sizeof *list->at);
}

bool gr_nodes_copy(gr_nodes *to, const gr_nodes *from) {
    if (from->n > to->n && !gr_nodes_reserve(to, from->n - to->n))
        return false;
    if (from->n > 0)
        memcpy(to->at, from->at, from->n * sizeof *to->at);
    to->n = from->n;
    return true;
}

void gr_nodes_free(gr_nodes *list) {
    free(list->at);
    *list = (gr_nodes){0};
}

/* ---- handles ------------------------------------------------------------------------------ */

bool gr_graph_live(cudaGraph_t graph) {
    return rt_map_get(&graphs, graph) != NULL;
}

bool gr_node_live(cudaGraphNode_t node) {
    return rt_map_get(&nodes, node) != NULL;
}

cudaError_t gr_graph_check(const char *call, cudaGraph_t graph) {
    if (gr_graph_live(graph))
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidValue, call, _("the graph was never created, or is destroyed"));
}

cudaError_t gr_node_check(const char *call, cudaGraphNode_t node) {
    if (gr_node_live(node))
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidValue, call, _("the node was never made, or is destroyed"));
}

cudaError_t gr_type_check(const char *call, cudaGraphNode_t node, enum cudaGraphNodeType wanted) {
    if (node->work.type == wanted)
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidValue, call, _("the node is of another type"));
}

static uint64_t new_id(void) {
    RT_LOCKED();
    return ++last_id;
}

/* ---- nodes and edges ---------------------------------------------------------------------- */

bool gr_edge_new(cudaGraphNode_t from, cudaGraphNode_t to) {
    if (!gr_nodes_reserve(&from->after, 1) || !gr_nodes_reserve(&to->before, 1))
        return false;
    gr_nodes_put(&from->after, to);
    gr_nodes_put(&to->before, from);
    return true;
}

void gr_edge_free(cudaGraphNode_t from, cudaGraphNode_t to) {
    gr_nodes_drop(&from->after, to);
    gr_nodes_drop(&to->before, from);
}

static void discard(cudaGraphNode_t node) {
    if (node->graph->listed)
        rt_map_remove(&nodes, node);
    gr_work_free(&node->work);
    gr_nodes_free(&node->before);
    gr_nodes_free(&node->after);
    WB_FREE(node->arguments, node);
}

void gr_node_free(cudaGraphNode_t node) {
    gr_nodes *all = &node->graph->nodes;
    for (size_t i = 0; i < node->before.n; i++)
        gr_nodes_drop(&node->before.at[i]->after, node);
    for (size_t i = 0; i < node->after.n; i++)
        gr_nodes_drop(&node->after.at[i]->before, node);
    gr_nodes_drop(all, node);
    for (size_t i = node->index; i < all->n; i++)
        all->at[i]->index = i;
    discard(node);
}

cudaGraphNode_t gr_node_new(cudaGraph_t graph, const cudaGraphNode_t *before, size_t n,
                            const rt_work *work) {
    cudaGraphNode_t node = calloc(1, sizeof *node);
    if (node == NULL)
        return NULL;
    if (!gr_work_copy(&node->work, work, graph->listed)) {
        free(node);
        return NULL;
    }
    node->graph = graph;
    node->id = node->origin = new_id();
    node->index = graph->nodes.n;
    if (!gr_nodes_reserve(&graph->nodes, 1) || (graph->listed && !rt_map_put(&nodes, node, node))) {
        discard(node);
        return NULL;
    }
    gr_nodes_put(&graph->nodes, node);
    for (size_t i = 0; i < n; i++) {
        if (!gr_edge_new(before[i], node)) {
            gr_node_free(node);
            return NULL;
        }
    }
    if (work->type == cudaGraphNodeTypeGraph)
        node->work.graph->inside = node;
    if (work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree)
        graph->has_memory = true;
    return node;
}

/* ---- graphs ------------------------------------------------------------------------------- */

cudaGraph_t gr_graph_new(bool is_listed) {
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (graph == NULL)
        return NULL;
    graph->listed = is_listed;
    if (is_listed && !rt_map_put(&graphs, graph, graph)) {
        free(graph);
        return NULL;
    }
    return graph;
}

void gr_graph_free(cudaGraph_t graph) {
    if (graph == NULL)
        return;
    if (graph->listed)
        rt_map_remove(&graphs, graph);
    for (size_t i = 0; i < graph->nodes.n; i++)
        discard(graph->nodes.at[i]);
    gr_nodes_free(&graph->nodes);
    free(graph->order);
    gr_objects_free(&graph->objects);
    free(graph);
}

static bool copy_edges(cudaGraph_t copy, cudaGraph_t graph) {
    for (size_t i = 0; i < graph->nodes.n; i++) {
        const gr_nodes *before = &graph->nodes.at[i]->before, *after = &graph->nodes.at[i]->after;
        cudaGraphNode_t node = copy->nodes.at[i];
        if (!gr_nodes_reserve(&node->before, before->n) ||
            !gr_nodes_reserve(&node->after, after->n))
            return false;
        for (size_t k = 0; k < before->n; k++)
            gr_nodes_put(&node->before, copy->nodes.at[before->at[k]->index]);
        for (size_t k = 0; k < after->n; k++)
            gr_nodes_put(&node->after, copy->nodes.at[after->at[k]->index]);
    }
    return true;
}

cudaGraph_t gr_graph_copy(cudaGraph_t graph, bool is_listed) {
    cudaGraph_t copy = gr_graph_new(is_listed);
    bool good = copy != NULL && gr_objects_copy(&copy->objects, graph->objects);
    for (size_t i = 0; good && i < graph->nodes.n; i++) {
        const struct CUgraphNode_st *from = graph->nodes.at[i];
        cudaGraphNode_t node = gr_node_new(copy, NULL, 0, &from->work);
        if ((good = node != NULL)) {
            node->origin = from->id;
            node->priority = from->priority;
        }
    }
    if (good && copy_edges(copy, graph))
        return copy;
    gr_graph_free(copy);
    return NULL;
}

/* Adds to the heap of ready nodes. The oldest node is on top. */
static void heap_push(size_t *heap, size_t n, size_t value) {
    size_t at = n;
    for (; at > 0 && heap[(at - 1) / 2] > value; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = value;
}

static size_t heap_pop(size_t *heap, size_t n) {
    size_t top = heap[0], value = heap[n - 1], at = 0;
    for (size_t child; (child = 2 * at + 1) < n - 1; at = child) {
        if (child + 1 < n - 1 && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= value)
            break;
        heap[at] = heap[child];
    }
    heap[at] = value;
    return top;
}

bool gr_graph_sort(cudaGraph_t graph, cudaGraphNode_t *stuck) {
    size_t n = graph->nodes.n, ready = 0, done = 0;
    size_t *left = calloc(2 * n + 1, sizeof *left), *heap = left + n;
    free(graph->order);
    graph->order = calloc(n + 1, sizeof(cudaGraphNode_t));
    *stuck = NULL;
    bool good = left != NULL && graph->order != NULL;
    for (size_t i = 0; good && i < n; i++) {
        left[i] = graph->nodes.at[i]->before.n;
        if (left[i] == 0)
            heap_push(heap, ready++, i);
    }
    while (good && ready > 0) {
        cudaGraphNode_t node = graph->nodes.at[heap_pop(heap, ready--)];
        graph->order[done++] = node;
        for (size_t k = 0; k < node->after.n; k++) {
            if (--left[node->after.at[k]->index] == 0)
                heap_push(heap, ready++, node->after.at[k]->index);
        }
    }
    for (size_t i = 0; good && done < n && *stuck == NULL; i++) {
        if (left[i] > 0)
            *stuck = graph->nodes.at[i];
    }
    free(left);
    for (size_t i = 0; good && *stuck == NULL && i < n; i++) {
        rt_work *work = &graph->nodes.at[i]->work;
        good = work->type != cudaGraphNodeTypeGraph || gr_graph_sort(work->graph, stuck);
    }
    return good && *stuck == NULL;
}

cudaGraphNode_t gr_node_copy_in(cudaGraph_t graph, uint64_t origin, size_t index) {
    const gr_nodes *all = &graph->nodes;
    if (index < all->n && all->at[index]->origin == origin) /* if none were destroyed since */
        return all->at[index];
    for (size_t i = 0; i < all->n; i++) {
        if (all->at[i]->origin == origin)
            return all->at[i];
    }
    for (size_t i = 0; i < all->n; i++) {
        cudaGraphNode_t found = all->at[i]->work.type == cudaGraphNodeTypeGraph
                                    ? gr_node_copy_in(all->at[i]->work.graph, origin, index)
                                    : NULL;
        if (found != NULL)
            return found;
    }
    return NULL;
}
