/* build.h: turns the parameters of a program into the work of a node. Each maker checks what can be
 * checked before the graph runs, and returns the call's result. */
#ifndef SOFTGPU_CUDART_GRAPH_BUILD_H
#define SOFTGPU_CUDART_GRAPH_BUILD_H

#include "runtime/softgpu/cudart/graph/graph.h"

/* A kernel's work owns a copy of its arguments; gr_made_free() frees it. The rest is borrowed: a
 * child graph belongs to the program until a node gets a copy. */
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
/* For cudaGraphAddNode() and similar calls, except nodes for memory. */
cudaError_t gr_make_any(const char *call, const struct cudaGraphNodeParams *p, rt_work *work);
void gr_made_free(rt_work *work);

/* Adds a node behind other nodes, which it checks. */
cudaError_t gr_add(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                   const cudaGraphNode_t *before, size_t n, const rt_work *work);
/* Replaces a node's work by other work of the same type. */
cudaError_t gr_replace(const char *call, cudaGraphNode_t node, const rt_work *work);

/* The parameters in kinds.inc without their parentheses. */
#define GR_LIST(...) __VA_ARGS__

#endif
