/* memory.h: memory that nodes of graphs allocate and free. Its address is known when the node is
 * made, and stays: so it is had then, and given back when no graph names it and it is not
 * allocated; in between, allocating and freeing are a matter of bookkeeping. */
#ifndef SOFTGPU_CUDART_GRAPH_MEMORY_H
#define SOFTGPU_CUDART_GRAPH_MEMORY_H

#include "runtime/softgpu/cudart/graph/graph.h"

struct gr_memory {
    void *base;
    size_t bytes;
    bool instance;                      /* a graph that allocates it is instantiated */
    size_t holds;                       /* nodes that name it */
    bool allocated;                     /* between an allocation that ran and a free */
    bool freed_inside, freed_elsewhere; /* there is a node that frees it: in the graph that
                                         * allocates it, or in another one */
    cudaGraph_t graph;                  /* that allocates it; only to be compared */
};

/* NULL, with *err: there is no such memory. Held once. */
struct gr_memory *gr_memory_new(size_t bytes, sg_error *err);
struct gr_memory *gr_memory_find(const void *base); /* by its first byte; NULL: not of a graph */
void gr_memory_hold(struct gr_memory *memory);
void gr_memory_drop(struct gr_memory *memory);
cudaError_t gr_memory_allocate(const char *call, struct gr_memory *memory);
cudaError_t gr_memory_release(const char *call, struct gr_memory *memory);
/* What nodes of a graph allocated and nobody has freed: freed, or only asked for. */
bool gr_memory_left(cudaGraph_t graph, bool free_it);
/* Notes that what the graph allocates is an instance's, or is no more; false: it was one's. */
bool gr_memory_instance(cudaGraph_t graph, bool begins);
/* Nodes that allocate and free (alloc.c). */
cudaError_t gr_add_alloc(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                         const cudaGraphNode_t *before, size_t n,
                         struct cudaMemAllocNodeParamsV2 *p);
cudaError_t gr_add_free(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                        const cudaGraphNode_t *before, size_t n, void *pointer);
/* Bytes that are allocated now, and bytes that are held. */
void gr_memory_usage(size_t *used, size_t *reserved);

#endif
