/* memory.h: memory that nodes of graphs allocate and free. Its address is fixed when the node is
 * made. So the memory is taken then, and released when it is not allocated and no graph names it.
 * Until then, allocating and freeing only change its state. */
#ifndef SOFTGPU_CUDART_GRAPH_MEMORY_H
#define SOFTGPU_CUDART_GRAPH_MEMORY_H

#include "runtime/softgpu/cudart/graph/graph.h"

struct gr_memory {
    void *base;
    size_t bytes;
    bool instance;                      /* an instance of a graph allocates it */
    size_t holds;                       /* nodes that name it */
    bool allocated;                     /* allocated and not freed since */
    bool freed_inside, freed_elsewhere; /* a node of the same graph frees it; of another graph */
    cudaGraph_t graph;                  /* the graph that allocates it; never dereferenced */
};

/* Allocates memory, held once. Returns NULL and sets err on failure. */
struct gr_memory *gr_memory_new(size_t bytes, sg_error *err);
struct gr_memory *gr_memory_find(const void *base); /* by its first byte; NULL: not a graph's */
void gr_memory_hold(struct gr_memory *memory);
void gr_memory_drop(struct gr_memory *memory);
cudaError_t gr_memory_allocate(const char *call, struct gr_memory *memory);
cudaError_t gr_memory_release(const char *call, struct gr_memory *memory);
/* Returns true if memory from the graph's nodes is still allocated. With free_it, frees it. */
bool gr_memory_left(cudaGraph_t graph, bool free_it);
/* Marks the graph's memory as used by an instance, or no longer. Returns false if it already
 * was. */
bool gr_memory_instance(cudaGraph_t graph, bool begins);
/* Add nodes that allocate and free (alloc.c). */
cudaError_t gr_add_alloc(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                         const cudaGraphNode_t *before, size_t n,
                         struct cudaMemAllocNodeParamsV2 *p);
cudaError_t gr_add_free(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
                        const cudaGraphNode_t *before, size_t n, void *pointer);
/* Sets the bytes that are allocated now, and the bytes held. */
void gr_memory_usage(size_t *used, size_t *reserved);

#endif
