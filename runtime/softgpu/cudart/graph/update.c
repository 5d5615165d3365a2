/* update.c: changes instances: a node's parameters, whether it runs, or all parameters from a graph
 * of the same shape. */
#include "runtime/softgpu/cudart/graph/graph.h"

/* Returns why an instance's node cannot change to this work, or NULL. */
static const char *obstacle(const rt_work *old, const rt_work *new) {
    sg_mem_range a, b;
    switch (old->type) {
    case cudaGraphNodeTypeKernel:
        return old->launch.cooperative != new->launch.cooperative
                   ? N_("a cooperative launch can't become another one")
                   : NULL;
    case cudaGraphNodeTypeMemcpy:
        if (sg_mem_find(old->copy.to.at, &a) != sg_mem_find(new->copy.to.at, &b) ||
            sg_mem_find(old->copy.from.at, &a) != sg_mem_find(new->copy.from.at, &b))
            return N_("a copy can't change between the host's memory and the device's");
        return NULL;
    case cudaGraphNodeTypeMemset:
        if ((old->fill.size.height > 1 || new->fill.size.height > 1) &&
            (old->fill.size.height != new->fill.size.height ||
             old->fill.size.width != new->fill.size.width ||
             old->fill.element != new->fill.element || old->fill.to.pitch != new->fill.to.pitch))
            return N_("of a fill of several rows, only the address and the value can change");
        return NULL;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        return old->memory != new->memory ? N_("memory of a graph can't become another one") : NULL;
    default:
        return NULL;
    }
}

/* ---- a whole graph ------------------------------------------------------------------------ */

/* Nodes of the instance and their partners in the graph. */
typedef struct pairing {
    gr_nodes mine, theirs;
    cudaGraphExecUpdateResultInfo *info;
} pairing;

/* For both graphs, the partner of each node by index, or NULL. */
typedef struct partners {
    cudaGraphNode_t *of_mine, *of_theirs;
} partners;

static bool differ(pairing *p, enum cudaGraphExecUpdateResult result, cudaGraphNode_t node,
                   cudaGraphNode_t from) {
    *p->info = (cudaGraphExecUpdateResultInfo){result, node, from};
    return false;
}

/* Pairs two nodes. Returns true if that agrees with earlier pairs. */
static bool pair(pairing *p, partners *of, cudaGraphNode_t mine, cudaGraphNode_t theirs) {
    cudaGraphNode_t *one = &of->of_mine[mine->index], *other = &of->of_theirs[theirs->index];
    if (*one != NULL || *other != NULL)
        return *one == theirs && *other == mine;
    *one = theirs;
    *other = mine;
    gr_nodes_put(&p->mine, mine);
    gr_nodes_put(&p->theirs, theirs);
    return true;
}

/* Returns the first node from index `at` that no other node waits for, or NULL. */
static cudaGraphNode_t last(cudaGraph_t graph, size_t at) {
    while (at < graph->nodes.n && graph->nodes.at[at]->after.n > 0)
        at++;
    return at < graph->nodes.n ? graph->nodes.at[at] : NULL;
}

/* Pairs the nodes that pair i waits for, in the order of the edges. */
static bool pair_before(pairing *p, partners *of, size_t i) {
    cudaGraphNode_t mine = p->mine.at[i], theirs = p->theirs.at[i];
    if (mine->work.type != theirs->work.type)
        return differ(p, cudaGraphExecUpdateErrorNodeTypeChanged, theirs, NULL);
    if (mine->before.n != theirs->before.n)
        return differ(p, cudaGraphExecUpdateErrorTopologyChanged, theirs, NULL);
    for (size_t k = 0; k < mine->before.n; k++) {
        if (!pair(p, of, mine->before.at[k], theirs->before.at[k]))
            return differ(p, cudaGraphExecUpdateErrorTopologyChanged, theirs, theirs->before.at[k]);
    }
    return true;
}

/* Pairs the last nodes of both graphs, and from there all others. */
static bool pair_nodes(pairing *p, partners *of, cudaGraph_t mine, cudaGraph_t theirs) {
    cudaGraphNode_t one = last(mine, 0), other = last(theirs, 0);
    size_t first = p->mine.n;
    for (; one != NULL && other != NULL;
         one = last(mine, one->index + 1), other = last(theirs, other->index + 1))
        pair(p, of, one, other);
    if (one != NULL || other != NULL)
        return differ(p, cudaGraphExecUpdateErrorTopologyChanged, other, NULL);
    for (size_t i = first; i < p->mine.n; i++) { /* grows during the loop */
        if (!pair_before(p, of, i))
            return false;
    }
    return true;
}

static bool pair_graphs(pairing *p, cudaGraph_t mine, cudaGraph_t theirs) {
    size_t first = p->mine.n, n = mine->nodes.n;
    if (n != theirs->nodes.n)
        return differ(p, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
    cudaGraphNode_t *room = calloc(2 * n + 1, sizeof(cudaGraphNode_t));
    bool good = room != NULL && gr_nodes_reserve(&p->mine, n) && gr_nodes_reserve(&p->theirs, n);
    good = good ? pair_nodes(p, &(partners){room, room + n}, mine, theirs)
                : differ(p, cudaGraphExecUpdateError, NULL, NULL);
    free(room);
    for (size_t i = first, end = p->mine.n; good && i < end; i++) {
        const rt_work *a = &p->mine.at[i]->work, *b = &p->theirs.at[i]->work;
        if (a->type == cudaGraphNodeTypeGraph)
            good = pair_graphs(p, a->graph, b->graph);
    }
    return good;
}

/* Copies all parameters, or none. */
static bool take_over(pairing *p) {
    size_t n = p->mine.n, done = 0;
    rt_work *copies = calloc(n + 1, sizeof *copies);
    if (copies == NULL)
        return differ(p, cudaGraphExecUpdateError, NULL, NULL);
    for (; done < n; done++) {
        const rt_work *new = &p->theirs.at[done]->work;
        if (new->type != cudaGraphNodeTypeGraph && !gr_work_copy(&copies[done], new, false))
            break;
    }
    for (size_t i = 0; i < done; i++) {
        rt_work *old = &p->mine.at[i]->work;
        if (done < n) {
            if (old->type != cudaGraphNodeTypeGraph)
                gr_work_free(&copies[i]);
        } else if (old->type != cudaGraphNodeTypeGraph) {
            gr_work_free(old);
            *old = copies[i];
        }
    }
    free(copies);
    return done == n || differ(p, cudaGraphExecUpdateError, NULL, NULL);
}

static bool update(cudaGraph_t mine, cudaGraph_t theirs, cudaGraphExecUpdateResultInfo *info) {
    pairing p = {.info = info};
    bool good = pair_graphs(&p, mine, theirs);
    for (size_t i = 0; good && i < p.mine.n; i++) {
        if (obstacle(&p.mine.at[i]->work, &p.theirs.at[i]->work) != NULL)
            good = differ(&p, cudaGraphExecUpdateErrorParametersChanged, p.theirs.at[i], NULL);
    }
    good = good && take_over(&p);
    gr_nodes_free(&p.mine);
    gr_nodes_free(&p.theirs);
    return good;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
    cudaGraphExecUpdateResultInfo unused;
    if (info == NULL)
        info = &unused;
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    RT_ENTER();
    GR_EXEC(exec);
    GR_GRAPH(graph);
    info->result = cudaGraphExecUpdateSuccess;
    if (update(exec->graph, graph, info))
        return cudaSuccess;
    return RT_FAIL(
        cudaErrorGraphExecUpdateFailure,
        _("the graph differs from the instance in more than parameters; instantiate it"));
}

/* ---- a node ------------------------------------------------------------------------------- */

/* Returns the instance's node for a node of its original graph, or NULL. */
static cudaGraphNode_t own(cudaGraphExec_t exec, cudaGraphNode_t node) {
    return gr_node_live(node) ? gr_node_copy_in(exec->graph, node->id, node->index) : NULL;
}

static cudaError_t replace(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node,
                           const rt_work *work) {
    cudaGraphNode_t mine = own(exec, node);
    if (mine == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the instance has no copy of that node"));
    const char *why = mine->work.type == work->type ? obstacle(&mine->work, work) : NULL;
    if (why != NULL)
        return rt_fail(cudaErrorInvalidValue, call, "%s", wb_tr(why));
    return gr_replace(call, mine, work);
}

#define SET(make)                                                                                  \
    do {                                                                                           \
        rt_work work = {.type = cudaGraphNodeTypeEmpty};                                           \
        RT_ENTER();                                                                                \
        GR_EXEC(exec);                                                                             \
        cudaError_t code = make;                                                                   \
        if (code == cudaSuccess)                                                                   \
            code = replace(__func__, exec, node, &work);                                           \
        gr_made_free(&work);                                                                       \
        return code;                                                                               \
    } while (0)

#define NODE(kind, setter, variant, parameters, make)                                              \
    cudaError_t cudaGraphExec##kind##setter##variant(cudaGraphExec_t exec, cudaGraphNode_t node,   \
                                                     GR_LIST parameters) {                         \
        SET(make);                                                                                 \
    }
#include "runtime/softgpu/cudart/graph/kinds.inc"

static cudaError_t replace_child(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node,
                                 cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t mine = own(exec, node);
    if (mine == NULL || mine->work.type != cudaGraphNodeTypeGraph || !gr_graph_live(graph))
        return rt_fail(cudaErrorInvalidValue, call,
                       _("a node of the instance that holds a graph, and a graph are needed"));
    if (update(mine->work.graph, graph, &info))
        return cudaSuccess;
    return rt_fail(
        cudaErrorGraphExecUpdateFailure, call,
        _("the graph differs from the instance in more than parameters; instantiate it"));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t graph) {
    RT_ENTER();
    GR_EXEC(exec);
    return replace_child(__func__, exec, node, graph);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *p) {
    if (p == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the parameters are NULL"));
    if (p->type == cudaGraphNodeTypeGraph)
        return cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
    SET(gr_make_any(__func__, p, &work));
}

/* ---- disabled nodes ----------------------------------------------------------------------- */

static cudaError_t find_switch(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node,
                               cudaGraphNode_t *mine) {
    *mine = own(exec, node);
    if (*mine != NULL && ((*mine)->work.type == cudaGraphNodeTypeKernel ||
                          (*mine)->work.type == cudaGraphNodeTypeMemcpy ||
                          (*mine)->work.type == cudaGraphNodeTypeMemset))
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidValue, call,
                   _("a node of the instance that is a kernel, a copy or a fill is needed"));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    cudaGraphNode_t mine;
    RT_ENTER();
    GR_EXEC(exec);
    RT_ALLOWED(find_switch(__func__, exec, node, &mine));
    mine->disabled = enabled == 0;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
    cudaGraphNode_t mine;
    RT_ENTER();
    GR_EXEC(exec);
    RT_OUT(enabled);
    RT_ALLOWED(find_switch(__func__, exec, node, &mine));
    *enabled = !mine->disabled;
    return cudaSuccess;
}
