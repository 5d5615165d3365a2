/* holders.c: memory of graphs: its holders, and whether it is allocated. */
#include "runtime/softgpu/cudart/graph/graph.h"

static rt_map all; /* base -> gr_memory */

struct gr_memory *gr_memory_new(size_t bytes, sg_error *err) {
    struct gr_memory *made = calloc(1, sizeof *made);
    void *base = made != NULL ? sg_mem_alloc(bytes, SG_MEM_DEVICE, "", err) : NULL;
    if (base == NULL || !rt_map_put(&all, base, made)) {
        if (base != NULL)
            sg_mem_free(base);
        free(made);
        return NULL;
    }
    made->base = base;
    made->bytes = bytes;
    made->holds = 1;
    return made;
}

struct gr_memory *gr_memory_find(const void *base) {
    return rt_map_get(&all, base);
}

void gr_memory_hold(struct gr_memory *memory) {
    RT_LOCKED();
    memory->holds++;
}

/* Frees the memory if neither a node nor the program has it. */
static void settle(struct gr_memory *memory) {
    RT_LOCKED();
    if (memory->holds > 0 || memory->allocated)
        return;
    rt_map_remove(&all, memory->base);
    sg_mem_free(memory->base);
    free(memory);
}

void gr_memory_drop(struct gr_memory *memory) {
    RT_LOCKED();
    memory->holds--;
    settle(memory);
}

cudaError_t gr_memory_allocate(const char *call, struct gr_memory *memory) {
    if (memory->allocated)
        return rt_fail(
            cudaErrorInvalidValue, call,
            _("the graph allocates %zu bytes that an earlier launch allocated and that were not "
              "freed; free them, or instantiate it with cudaGraphInstantiateFlagAutoFreeOnLaunch"),
            memory->bytes);
    memory->allocated = true;
    return cudaSuccess;
}

cudaError_t gr_memory_release(const char *call, struct gr_memory *memory) {
    if (!memory->allocated)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("the pointer is %zu bytes of a graph that are not allocated now"),
                       memory->bytes);
    memory->allocated = false;
    settle(memory);
    return cudaSuccess;
}

bool gr_memory_left(cudaGraph_t graph, bool free_it) {
    bool found = false;
    for (size_t i = 0; i < graph->nodes.n; i++) {
        const rt_work *work = &graph->nodes.at[i]->work;
        if (work->type == cudaGraphNodeTypeMemAlloc && work->memory->allocated) {
            found = true;
            if (free_it)
                work->memory->allocated = false; /* the node holds it */
        }
        if (work->type == cudaGraphNodeTypeGraph && gr_memory_left(work->graph, free_it))
            found = true;
    }
    return found;
}

bool gr_memory_instance(cudaGraph_t graph, bool begins) {
    for (size_t i = 0; i < graph->nodes.n; i++) {
        const rt_work *work = &graph->nodes.at[i]->work;
        if (work->type != cudaGraphNodeTypeMemAlloc)
            continue;
        if (begins && work->memory->instance)
            return false; /* the rest is no instance's either */
        work->memory->instance = begins;
    }
    return true;
}

void gr_memory_usage(size_t *used, size_t *reserved) {
    *used = *reserved = 0;
    RT_LOCKED();
    for (size_t i = 0; i < all.capacity; i++) {
        const struct gr_memory *m = all.slots[i].value;
        if (m != NULL) {
            *reserved += m->bytes;
            *used += m->allocated ? m->bytes : 0;
        }
    }
}
