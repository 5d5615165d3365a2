/* nodes.c: reads and sets the parameters of existing nodes. */
#include "runtime/softgpu/cudart/graph/graph.h"

/* ---- read --------------------------------------------------------------------------------- */

/* Returns pointers to the arguments. They are valid until the parameters are set or the node is
 * destroyed. */
static void **arguments_of(cudaGraphNode_t node) {
    const rt_launch *l = &node->work.launch;
    if (node->arguments == NULL) {
        node->arguments = calloc(l->kernel->info.n_params + 1u, sizeof *node->arguments);
        for (uint32_t i = 0; node->arguments != NULL && i < l->kernel->info.n_params; i++)
            node->arguments[i] = l->params + l->kernel->info.param_offsets[i];
    }
    return node->arguments;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
    GR_ASK(node, cudaGraphNodeTypeKernel, p);
    const rt_launch *l = &node->work.launch;
    void **arguments = arguments_of(node);
    if (arguments == NULL)
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a graph"));
    *p = (struct cudaKernelNodeParams){.func = l->kernel->host != NULL ? (void *)l->kernel->host
                                                                       : (void *)l->kernel,
                                       .gridDim = l->grid,
                                       .blockDim = l->block,
                                       .sharedMemBytes = (unsigned)l->shared,
                                       .kernelParams = arguments};
    return cudaSuccess;
}

static struct cudaPitchedPtr pitched(const rt_box *box, size_t width) {
    return (struct cudaPitchedPtr){box->at, box->pitch, width, box->slice};
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p) {
    GR_ASK(node, cudaGraphNodeTypeMemcpy, p);
    const rt_copy *c = &node->work.copy;
    *p = (struct cudaMemcpy3DParms){.srcPtr = pitched(&c->from, c->size.width),
                                    .dstPtr = pitched(&c->to, c->size.width),
                                    .extent = {c->size.width, c->size.height, c->size.depth},
                                    .kind = c->kind};
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p) {
    GR_ASK(node, cudaGraphNodeTypeMemset, p);
    const rt_fill *f = &node->work.fill;
    *p = (struct cudaMemsetParams){.dst = f->to.at,
                                   .pitch = f->to.pitch,
                                   .value = f->value,
                                   .elementSize = f->element,
                                   .width = f->size.width / f->element,
                                   .height = f->size.height};
    return cudaSuccess;
}

#define READ(name, wanted, kind, member)                                                           \
    cudaError_t name(cudaGraphNode_t node, kind *out) {                                            \
        GR_ASK(node, wanted, out);                                                                 \
        *out = node->work.member;                                                                  \
        return cudaSuccess;                                                                        \
    }
READ(cudaGraphHostNodeGetParams, cudaGraphNodeTypeHost, struct cudaHostNodeParams, host)
READ(cudaGraphChildGraphNodeGetGraph, cudaGraphNodeTypeGraph, cudaGraph_t, graph)
READ(cudaGraphEventRecordNodeGetEvent, cudaGraphNodeTypeEventRecord, cudaEvent_t, event)
READ(cudaGraphEventWaitNodeGetEvent, cudaGraphNodeTypeWaitEvent, cudaEvent_t, event)

/* ---- set ---------------------------------------------------------------------------------- */

#define SET(node, make)                                                                            \
    do {                                                                                           \
        rt_work work = {.type = cudaGraphNodeTypeEmpty};                                           \
        RT_ENTER();                                                                                \
        GR_NODE(node);                                                                             \
        cudaError_t code = make;                                                                   \
        if (code == cudaSuccess)                                                                   \
            code = gr_replace(__func__, node, &work);                                              \
        gr_made_free(&work);                                                                       \
        return code;                                                                               \
    } while (0)

#define NODE(kind, setter, variant, parameters, make)                                              \
    cudaError_t cudaGraph##kind##setter##variant(cudaGraphNode_t node, GR_LIST parameters) {       \
        SET(node, make);                                                                           \
    }
#include "runtime/softgpu/cudart/graph/kinds.inc"

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
    if (p == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the parameters are NULL"));
    SET(node, gr_make_any(__func__, p, &work));
}

/* ---- attributes of kernels ---------------------------------------------------------------- */

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID which,
                                            cudaLaunchAttributeValue *value) {
    GR_ASK(node, cudaGraphNodeTypeKernel, value);
    const rt_launch *l = &node->work.launch;
    switch (which) {
    case cudaLaunchAttributeCooperative:
        value->cooperative = l->cooperative;
        return cudaSuccess;
    case cudaLaunchAttributePriority:
        value->priority = node->priority;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        value->clusterDim.x = l->cluster.x;
        value->clusterDim.y = l->cluster.y;
        value->clusterDim.z = l->cluster.z;
        return cudaSuccess;
    default:
        return rt_refuse(SG_REFUSED_LAUNCH_ATTRIBUTES, __func__);
    }
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID which,
                                            const cudaLaunchAttributeValue *value) {
    sg_error err = {0};
    GR_ASK(node, cudaGraphNodeTypeKernel, value);
    rt_launch changed = node->work.launch;
    if (!rt_launch_attribute(&(cudaLaunchAttribute){.id = which, .val = *value}, &changed))
        return rt_refuse(SG_REFUSED_LAUNCH_ATTRIBUTES, __func__);
    if (!rt_launch_check(&changed, &err))
        return rt_fail_as(__func__, &err);
    node->work.launch = changed;
    if (which == cudaLaunchAttributePriority)
        node->priority = value->priority;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    RT_ENTER();
    GR_NODE(to);
    GR_NODE(from);
    RT_ALLOWED(gr_type_check(__func__, to, cudaGraphNodeTypeKernel));
    RT_ALLOWED(gr_type_check(__func__, from, cudaGraphNodeTypeKernel));
    to->work.launch.cooperative = from->work.launch.cooperative;
    to->work.launch.cluster = from->work.launch.cluster;
    to->priority = from->priority;
    return cudaSuccess;
}
