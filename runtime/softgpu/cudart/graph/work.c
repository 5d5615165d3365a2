/* work.c: copies, checks and runs the work of a node. */
#include "runtime/softgpu/cudart/graph/graph.h"

bool gr_work_copy(rt_work *to, const rt_work *from, bool listed) {
    rt_work copy = *from;
    switch (from->type) {
    case cudaGraphNodeTypeKernel: {
        size_t bytes = from->launch.kernel->info.param_bytes;
        copy.launch.params = malloc(bytes + 1);
        if (copy.launch.params == NULL)
            return false;
        memcpy(copy.launch.params, from->launch.params, bytes);
        break;
    }
    case cudaGraphNodeTypeGraph:
        copy.graph = gr_graph_copy(from->graph, listed);
        if (copy.graph == NULL)
            return false;
        break;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        gr_memory_hold(from->memory);
        break;
    default:
        break;
    }
    *to = copy;
    return true;
}

void gr_work_free(rt_work *work) {
    if (work->type == cudaGraphNodeTypeKernel)
        free(work->launch.params);
    else if (work->type == cudaGraphNodeTypeGraph)
        gr_graph_free(work->graph);
    else if (work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree)
        gr_memory_drop(work->memory);
    *work = (rt_work){.type = cudaGraphNodeTypeEmpty};
}

/* Checks that the module is still loaded: a notebook's cell may replace a kernel of a graph. */
static cudaError_t check_kernel(const char *call, const rt_launch *l) {
    sg_error err = {0};
    if (l->kernel->module == NULL)
        return rt_fail(cudaErrorInvalidDeviceFunction, call,
                       _("the graph launches kernel %s, whose module is unloaded"),
                       l->kernel->name);
    if (!rt_launch_check(l, &err))
        return rt_fail_as(call, &err);
    return cudaSuccess;
}

cudaError_t gr_work_check(const char *call, const rt_work *work) {
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return check_kernel(call, &work->launch);
    case cudaGraphNodeTypeMemcpy:
        return rt_copy_check(call, &work->copy);
    case cudaGraphNodeTypeMemset:
        return rt_fill_check(call, &work->fill);
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeWaitEvent:
        return rt_event_check(call, work->event);
    default:
        return cudaSuccess;
    }
}

cudaError_t gr_work_run(const char *call, rt_work *work, bool *in_a_row) {
    RT_ALLOWED(gr_work_check(call, work));
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        work->launch.in_a_row = *in_a_row;
        *in_a_row = true;
        return rt_launch_run(call, &work->launch);
    case cudaGraphNodeTypeMemcpy:
        rt_copy_run(call, &work->copy);
        return cudaSuccess;
    case cudaGraphNodeTypeMemset:
        rt_fill_run(call, &work->fill);
        return cudaSuccess;
    case cudaGraphNodeTypeHost:
        work->host.fn(work->host.userData);
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        return gr_graph_run(call, work->graph, in_a_row);
    case cudaGraphNodeTypeEventRecord:
        rt_event_now(work->event);
        return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
        return gr_memory_allocate(call, work->memory);
    case cudaGraphNodeTypeMemFree:
        return gr_memory_release(call, work->memory);
    default: /* an empty node, or a wait: all earlier work is done */
        return cudaSuccess;
    }
}
