/* build.h: from the parameters that programs give to the work of a node. Each maker checks all that
 * can be checked before the graph runs, and returns what the call then returns. */
#ifndef SOFTGPU_CUDART_GRAPH_BUILD_H
#define SOFTGPU_CUDART_GRAPH_BUILD_H

#include "runtime/softgpu/cudart/graph/graph.h"

/* What is made of a kernel's parameters owns a copy of its arguments: gr_made_free. The rest is
 * borrowed: a graph inside is the program's until a node gets a copy of it. */
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
/* Of cudaGraphAddNode and its like; memory is not among them. */
cudaError_t gr_make_any(const char *call, const struct cudaGraphNodeParams *p, rt_work *work);
void gr_made_free(rt_work *work);

/* A new node, behind nodes that are checked here. */
cudaError_t gr_add(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                   const cudaGraphNode_t *before, size_t n, const rt_work *work);
/* A node's work anew, of the same type. */
cudaError_t gr_replace(const char *call, cudaGraphNode_t node, const rt_work *work);

#endif
