/* params.c: checks parameters of nodes and makes work of them. */
#include "runtime/softgpu/cudart/graph/graph.h"

/* Adapts a launch's error: a function that is not a kernel counts as a handle. */
static cudaError_t code_of(const sg_error *err, const void *function) {
    if (err->code == cudaErrorInvalidDeviceFunction && function != NULL &&
        rt_kernel_peek(function) == NULL)
        return cudaErrorInvalidResourceHandle;
    return (cudaError_t)err->code;
}

cudaError_t gr_make_kernel(const char *call, const struct cudaKernelNodeParams *p, rt_work *work) {
    sg_error err = {0};
    if (p == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the parameters are NULL"));
    if (p->kernelParams == NULL && p->extra != NULL)
        return rt_refuse_as(SG_REFUSED_FUNCTION, call,
                            _("arguments as one buffer (extra) are not supported by softgpu; pass "
                              "kernelParams, a pointer to each argument"));
    *work = (rt_work){.type = cudaGraphNodeTypeKernel,
                      .launch = {.grid = p->gridDim,
                                 .block = p->blockDim,
                                 .cluster = {1, 1, 1},
                                 .shared = p->sharedMemBytes}};
    if (rt_launch_prepare(p->func, &work->launch, p->kernelParams, &err))
        return cudaSuccess;
    err.code = (int)code_of(&err, p->func);
    return rt_fail_as(call, &err);
}

cudaError_t gr_make_copy(const char *call, const struct cudaMemcpy3DParms *p, rt_work *work) {
    work->type = cudaGraphNodeTypeMemcpy;
    RT_ALLOWED(rt_copy_of(call, p, &work->copy));
    return gr_work_check(call, work);
}

static cudaError_t make_row(const char *call, const rt_copy *copy, rt_work *work) {
    if (copy->size.width == 0)
        return rt_fail(cudaErrorInvalidValue, call, _("a copy of no bytes can't be a node"));
    *work = (rt_work){.type = cudaGraphNodeTypeMemcpy, .copy = *copy};
    return gr_work_check(call, work);
}

cudaError_t gr_make_copy1(const char *call, void *to, const void *from, size_t bytes,
                          enum cudaMemcpyKind kind, rt_work *work) {
    const rt_copy copy = rt_copy_row(to, from, bytes, kind);
    return make_row(call, &copy, work);
}

cudaError_t gr_make_to_symbol(const char *call, const void *symbol, const void *from, size_t bytes,
                              size_t offset, enum cudaMemcpyKind kind, rt_work *work) {
    rt_copy copy;
    RT_ALLOWED(rt_copy_symbol(call, true, symbol, from, bytes, offset, kind, &copy));
    return make_row(call, &copy, work);
}

cudaError_t gr_make_from_symbol(const char *call, void *to, const void *symbol, size_t bytes,
                                size_t offset, enum cudaMemcpyKind kind, rt_work *work) {
    rt_copy copy;
    RT_ALLOWED(rt_copy_symbol(call, false, symbol, to, bytes, offset, kind, &copy));
    return make_row(call, &copy, work);
}

cudaError_t gr_make_fill(const char *call, const struct cudaMemsetParams *p, rt_work *work) {
    if (p == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the parameters are NULL"));
    size_t bytes;
    if ((p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
        __builtin_mul_overflow(p->width, (size_t)p->elementSize, &bytes) || bytes == 0 ||
        p->height == 0 || (uintptr_t)p->dst % p->elementSize != 0 ||
        (p->height > 1 && (p->pitch % p->elementSize != 0 || p->pitch < bytes)))
        return rt_fail(
            cudaErrorInvalidValue, call,
            _("a fill is of elements of 1, 2 or 4 bytes at a multiple of that, of one at "
              "least, and in rows that fit their pitch: %zu x %zu elements of %u bytes, "
              "pitch %zu"),
            p->width, p->height, p->elementSize, p->pitch);
    *work = (rt_work){.type = cudaGraphNodeTypeMemset,
                      .fill = {.to = {p->dst, p->height > 1 ? p->pitch : bytes, p->height},
                               .size = {bytes, p->height, 1},
                               .value = p->value,
                               .element = p->elementSize}};
    return gr_work_check(call, work);
}

cudaError_t gr_make_host(const char *call, const struct cudaHostNodeParams *p, rt_work *work) {
    if (p == NULL || p->fn == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the function is NULL"));
    rt_backend_note(call, cudaSuccess, SG_REFUSED_NONE, _("a host function in a graph"));
    *work = (rt_work){.type = cudaGraphNodeTypeHost, .host = *p};
    return cudaSuccess;
}

cudaError_t gr_make_event(const char *call, enum cudaGraphNodeType type, cudaEvent_t event,
                          rt_work *work) {
    if (event == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("the event is NULL"));
    *work = (rt_work){.type = type, .event = event};
    return gr_work_check(call, work);
}

cudaError_t gr_make_child(const char *call, cudaGraph_t graph, rt_work *work) {
    RT_ALLOWED(gr_graph_check(call, graph));
    if (graph->has_memory)
        return rt_fail(
            cudaErrorNotSupported, call,
            _("a graph that allocates or frees memory can't be a node of another graph"));
    *work = (rt_work){.type = cudaGraphNodeTypeGraph, .graph = graph};
    return cudaSuccess;
}

static cudaError_t any_kernel(const char *call, const struct cudaKernelNodeParamsV2 *p,
                              rt_work *work) {
    const struct cudaKernelNodeParams same = {.func = p->func,
                                              .gridDim = p->gridDim,
                                              .blockDim = p->blockDim,
                                              .sharedMemBytes = p->sharedMemBytes,
                                              .kernelParams = p->kernelParams,
                                              .extra = p->extra};
    return gr_make_kernel(call, &same, work);
}

static cudaError_t any_child(const char *call, const struct cudaChildGraphNodeParams *p,
                             rt_work *work) {
    if (p->ownership != cudaGraphChildGraphOwnershipClone)
        return rt_refuse_as(
            SG_REFUSED_FUNCTION, call,
            _("moving a graph into a node is not supported by softgpu; let it be copied "
              "(cudaGraphChildGraphOwnershipClone)"));
    return gr_make_child(call, p->graph, work);
}

cudaError_t gr_make_any(const char *call, const struct cudaGraphNodeParams *p, rt_work *work) {
    struct cudaMemsetParams fill;
    struct cudaHostNodeParams host;
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return any_kernel(call, &p->kernel, work);
    case cudaGraphNodeTypeMemcpy:
        return gr_make_copy(call, &p->memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset:
        memcpy(&fill, &p->memset, sizeof fill);
        return gr_make_fill(call, &fill, work);
    case cudaGraphNodeTypeHost:
        host = (struct cudaHostNodeParams){p->host.fn, p->host.userData};
        return gr_make_host(call, &host, work);
    case cudaGraphNodeTypeGraph:
        return any_child(call, &p->graph, work);
    case cudaGraphNodeTypeEmpty:
        *work = (rt_work){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return gr_make_event(call, p->type, p->eventWait.event, work);
    case cudaGraphNodeTypeEventRecord:
        return gr_make_event(call, p->type, p->eventRecord.event, work);
    case cudaGraphNodeTypeConditional:
        return rt_refuse(SG_REFUSED_CONDITIONAL_NODES, call);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        return rt_refuse(SG_REFUSED_EXTERNAL_MEMORY, call);
    default:
        return rt_fail(cudaErrorInvalidValue, call, _("%d is not a type of a node"), (int)p->type);
    }
}

void gr_made_free(rt_work *work) {
    if (work->type == cudaGraphNodeTypeKernel)
        free(work->launch.params);
}
