/* alloc.c: nodes that allocate and free memory, and cudaMallocAsync() and cudaFreeAsync() with
 * graphs. */
#include "runtime/softgpu/cudart/graph/capture.h"

/* Creates memory, held once, and the work of a node that allocates it. */
static cudaError_t with_memory(const char *call, size_t bytes, void **pointer, rt_work *work) {
    sg_error err = {.code = cudaErrorMemoryAllocation, .text = "no memory for a graph"};
    *work = (rt_work){.type = cudaGraphNodeTypeMemAlloc, .memory = gr_memory_new(bytes, &err)};
    if (work->memory == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, "%s", err.text);
    *pointer = work->memory->base;
    return cudaSuccess;
}

cudaError_t gr_add_alloc(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                         const cudaGraphNode_t *before, size_t n,
                         struct cudaMemAllocNodeParamsV2 *p) {
    rt_work work;
    void *pointer;
    if (p->bytesize == 0 || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id != 0 ||
        p->poolProps.handleTypes != cudaMemHandleTypeNone)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("a node allocates some bytes of pinned memory on device 0"));
    if (gr_graph_live(graph) && graph->inside != NULL)
        return rt_fail(
            cudaErrorNotSupported, call,
            _("a graph that allocates or frees memory can't be a node of another graph"));
    RT_ALLOWED(with_memory(call, p->bytesize, &pointer, &work));
    cudaError_t code = gr_add(call, out, graph, before, n, &work);
    if (code == cudaSuccess) {
        work.memory->graph = graph;
        p->dptr = pointer;
    }
    gr_memory_drop(work.memory);
    return code;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t n,
                                     struct cudaMemAllocNodeParams *p) {
    struct cudaMemAllocNodeParamsV2 same;
    RT_ENTER();
    if (p == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the parameters are NULL"));
    memcpy(&same, p, sizeof same);
    cudaError_t code = gr_add_alloc(__func__, out, graph, before, n, &same);
    if (code == cudaSuccess)
        p->dptr = same.dptr;
    return code;
}

/* Marks that a node of `graph` frees the memory. Refuses a second node. */
static cudaError_t claim(const char *call, struct gr_memory *memory, cudaGraph_t graph) {
    bool inside = memory->graph == graph;
    if (inside ? memory->freed_inside || memory->freed_elsewhere : memory->freed_inside)
        return rt_fail(cudaErrorInvalidValue, call, _("a node frees this memory already"));
    *(inside ? &memory->freed_inside : &memory->freed_elsewhere) = true;
    return cudaSuccess;
}

cudaError_t gr_add_free(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                        const cudaGraphNode_t *before, size_t n, void *pointer) {
    struct gr_memory *memory = gr_memory_find(pointer);
    const rt_work work = {.type = cudaGraphNodeTypeMemFree, .memory = memory};
    if (memory == NULL)
        return rt_fail(cudaErrorInvalidValue, call, _("no node of a graph allocated that memory"));
    const struct gr_memory as_it_was = *memory;
    RT_ALLOWED(claim(call, memory, graph));
    cudaError_t code = gr_add(call, out, graph, before, n, &work);
    if (code != cudaSuccess) {
        memory->freed_inside = as_it_was.freed_inside;
        memory->freed_elsewhere = as_it_was.freed_elsewhere;
    }
    return code;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t n, void *pointer) {
    RT_ENTER();
    return gr_add_free(__func__, out, graph, before, n, pointer);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p) {
    GR_ASK(node, cudaGraphNodeTypeMemAlloc, p);
    *p = (struct cudaMemAllocNodeParams){.bytesize = node->work.memory->bytes,
                                         .dptr = node->work.memory->base};
    p->poolProps.allocType = cudaMemAllocationTypePinned;
    p->poolProps.location.type = cudaMemLocationTypeDevice;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out) {
    GR_ASK(node, cudaGraphNodeTypeMemFree, out);
    *(void **)out = node->work.memory->base;
    return cudaSuccess;
}

/* ---- in streams --------------------------------------------------------------------------- */

bool rt_capture_malloc(const char *call, cudaStream_t stream, void **out, size_t bytes,
                       cudaError_t *code) {
    rt_work work;
    void *pointer;
    if (gr_captured_graph(stream) == NULL || out == NULL || bytes == 0)
        return false;
    *code = with_memory(call, bytes, &pointer, &work);
    if (*code != cudaSuccess)
        return true;
    rt_capture_work(call, stream, &work, code);
    if (*code == cudaSuccess) {
        *out = pointer;
        work.memory->graph = gr_captured_graph(stream);
    }
    gr_memory_drop(work.memory);
    return true;
}

bool rt_capture_free(const char *call, cudaStream_t stream, void *base, cudaError_t *code) {
    struct gr_memory *memory = gr_memory_find(base);
    if (gr_captured_graph(stream) == NULL) {
        if (memory != NULL)
            *code = gr_memory_release(call, memory);
        return memory != NULL;
    }
    const rt_work work = {.type = cudaGraphNodeTypeMemFree, .memory = memory};
    if (memory == NULL)
        *code = rt_fail(cudaErrorInvalidValue, call, _("no node of a graph allocated that memory"));
    else if ((*code = claim(call, memory, gr_captured_graph(stream))) == cudaSuccess)
        rt_capture_work(call, stream, &work, code);
    return true;
}

/* ---- memory of all graphs ------------------------------------------------------------------ */

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which,
                                           void *value) {
    size_t used, reserved;
    RT_ENTER();
    RT_OUT(value);
    RT_DEVICE(device);
    gr_memory_usage(&used, &reserved);
    switch (which) {
    case cudaGraphMemAttrUsedMemCurrent:
        *(uint64_t *)value = used;
        return cudaSuccess;
    case cudaGraphMemAttrReservedMemCurrent:
        *(uint64_t *)value = reserved;
        return cudaSuccess;
    default:
        return rt_refuse(SG_REFUSED_FUNCTION, __func__);
    }
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which,
                                           void *value) {
    (void)device, (void)value;
    RT_ENTER();
    if (which != cudaGraphMemAttrUsedMemHigh && which != cudaGraphMemAttrReservedMemHigh)
        return RT_FAIL(cudaErrorInvalidValue, _("attribute %d of graphs' memory can't be set"),
                       (int)which);
    return rt_refuse(SG_REFUSED_FUNCTION, __func__);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    RT_ENTER();
    RT_DEVICE(device);
    return cudaSuccess; /* unused memory is always released at once */
}
