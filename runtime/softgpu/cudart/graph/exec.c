/* exec.c: instances. Each is a sorted copy of a graph. It runs in the caller, like all work of
 * streams. */
#include "runtime/softgpu/cudart/graph/graph.h"

static rt_map instances;

cudaError_t gr_exec_check(const char *call, cudaGraphExec_t exec) {
    if (rt_map_get(&instances, exec) != NULL)
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidValue, call,
                   _("the graph was never instantiated, or its instance is destroyed"));
}

cudaError_t gr_graph_run(const char *call, cudaGraph_t graph, bool *in_a_row) {
    for (size_t i = 0; i < graph->nodes.n; i++) {
        cudaGraphNode_t node = graph->order[i];
        cudaError_t code = node->disabled ? cudaSuccess : gr_work_run(call, &node->work, in_a_row);
        if (code != cudaSuccess || rt_faulted())
            return code; /* success after a kernel's fault, as for a launch outside graphs */
    }
    return cudaSuccess;
}

/* ---- instances ---------------------------------------------------------------------------- */

static cudaError_t keep(const char *call, cudaGraphExec_t *out, cudaGraph_t copy,
                        unsigned long long flags) {
    cudaGraphExec_t made = calloc(1, sizeof *made);
    if (made == NULL || !rt_map_put(&instances, made, made)) {
        free(made);
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
    }
    *made = (struct CUgraphExec_st){copy, flags};
    *out = made;
    return cudaSuccess;
}

/* Instantiates a graph. Sets the reason for a failure in p, as cudaGraphInstantiateWithParams()
 * does. */
static cudaError_t instantiate(const char *call, cudaGraphExec_t *out, cudaGraph_t graph,
                               cudaGraphInstantiateParams *p) {
    const unsigned long long flags = p->flags;
    const unsigned long long known =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    RT_ALLOWED(rt_sticky(call));
    RT_ALLOWED(rt_capture_unsafe(call));
    if (out == NULL || !gr_graph_live(graph) || (flags & ~known) != 0)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("a graph and a place for its instance are needed; the flags are %#llx"),
                       flags);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return rt_refuse(SG_REFUSED_DEVICE_GRAPHS, call);
    if (!gr_memory_instance(graph, true))
        return rt_fail(cudaErrorNotSupported, call,
                       _("a graph that allocates memory has one instance at a time"));
    cudaGraphNode_t stuck = NULL;
    cudaGraph_t copy = gr_graph_copy(graph, false);
    if (copy != NULL && gr_graph_sort(copy, &stuck) && keep(call, out, copy, flags) == cudaSuccess)
        return cudaSuccess;
    if (stuck != NULL) {
        p->errNode_out = stuck->graph == copy ? graph->nodes.at[stuck->index] : NULL;
        p->result_out = cudaGraphInstantiateInvalidStructure;
    }
    gr_graph_free(copy);
    gr_memory_instance(graph, false);
    if (stuck == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a graph"));
    return rt_fail(cudaErrorInvalidValue, call,
                   _("the graph's edges form a cycle, so no node can be first"));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    cudaGraphInstantiateParams params = {.flags = flags};
    return instantiate(__func__, exec, graph, &params);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    cudaGraphInstantiateParams params = {.flags = flags};
    return instantiate(__func__, exec, graph, &params);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
    if (params == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the parameters are NULL"));
    params->errNode_out = NULL;
    params->result_out = cudaGraphInstantiateError;
    cudaError_t code = instantiate(__func__, exec, graph, params);
    if (code == cudaSuccess)
        params->result_out = cudaGraphInstantiateSuccess;
    return code;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    RT_ENTER();
    GR_EXEC(exec);
    rt_map_remove(&instances, exec);
    gr_memory_instance(exec->graph, false);
    gr_graph_free(exec->graph);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    RT_ENTER();
    GR_EXEC(exec);
    RT_OUT(flags);
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    RT_ENTER();
    GR_EXEC(exec);
    RT_STREAM(stream);
    return rt_capture_refuse(__func__, stream);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    RT_ENTER();
    GR_EXEC(exec);
    RT_STREAM(stream);
    RT_ALLOWED(rt_capture_refuse(__func__, stream));
    if (gr_memory_left(exec->graph,
                       (exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) &&
        !(exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
        return RT_FAIL(cudaErrorInvalidValue, _("memory of the graph's previous launch is still "
                                                "allocated; free it, or instantiate the graph with "
                                                "cudaGraphInstantiateFlagAutoFreeOnLaunch"));
    bool in_a_row = false;
    return gr_graph_run(__func__, exec->graph, &in_a_row);
}
