/* object.c: counts the holds on user objects. Releasing the last hold calls the program's
 * destructor. */
#include "runtime/softgpu/cudart/graph/graph.h"

struct CUuserObject_st {
    void *pointer;
    cudaHostFn_t destroy;
    uint64_t holds;
};

struct gr_object_use {
    cudaUserObject_t object;
    uint64_t holds;
    struct gr_object_use *next;
};

static rt_map objects;

/* Returns the remaining holds. */
static uint64_t hold(cudaUserObject_t object, uint64_t n) {
    RT_LOCKED();
    return object->holds += n;
}

static void release(cudaUserObject_t object, uint64_t n) {
    if (hold(object, -n) > 0)
        return;
    rt_map_remove(&objects, object);
    object->destroy(object->pointer);
    free(object);
}

static bool use(struct gr_object_use **uses, cudaUserObject_t object, uint64_t n) {
    struct gr_object_use *u = *uses;
    while (u != NULL && u->object != object)
        u = u->next;
    if (u == NULL) {
        if ((u = calloc(1, sizeof *u)) == NULL)
            return false;
        *u = (struct gr_object_use){.object = object, .next = *uses};
        *uses = u;
    }
    u->holds += n;
    return true;
}

bool gr_objects_copy(struct gr_object_use **to, const struct gr_object_use *from) {
    for (; from != NULL; from = from->next) {
        if (!use(to, from->object, from->holds))
            return false;
        hold(from->object, from->holds);
    }
    return true;
}

void gr_objects_free(struct gr_object_use **uses) {
    for (struct gr_object_use *u = *uses, *next; u != NULL; u = next) {
        next = u->next;
        release(u->object, u->holds);
        free(u);
    }
    *uses = NULL;
}

static cudaError_t check(const char *call, cudaUserObject_t object, unsigned count) {
    if (rt_map_get(&objects, object) != NULL && count > 0 && count <= INT32_MAX)
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidValue, call,
                   _("the user object was never created or is gone, or the count is %u"), count);
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *pointer, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags) {
    RT_ENTER();
    if (out == NULL || destroy == NULL || count == 0 || count > INT32_MAX ||
        flags != cudaUserObjectNoDestructorSync)
        return RT_FAIL(cudaErrorInvalidValue,
                       _("a place for the object, a destructor, a count, and the flags "
                         "cudaUserObjectNoDestructorSync are needed"));
    cudaUserObject_t made = calloc(1, sizeof *made);
    if (made == NULL || !rt_map_put(&objects, made, made)) {
        free(made);
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a user object"));
    }
    *made = (struct CUuserObject_st){pointer, destroy, count};
    *out = made;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    RT_ENTER();
    RT_ALLOWED(check(__func__, object, count));
    hold(object, count);
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    RT_ENTER();
    RT_ALLOWED(check(__func__, object, count));
    if (count > object->holds)
        return RT_FAIL(cudaErrorInvalidValue, _("the object has fewer references than that"));
    release(object, count);
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
    RT_ENTER();
    GR_GRAPH(graph);
    RT_ALLOWED(check(__func__, object, count));
    if ((flags & ~(unsigned)cudaGraphUserObjectMove) != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("the flags are %#x"), flags);
    if (!use(&graph->objects, object, count))
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a user object"));
    if (flags == 0)
        hold(object, count);
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    RT_ENTER();
    GR_GRAPH(graph);
    RT_ALLOWED(check(__func__, object, count));
    struct gr_object_use **at = &graph->objects, *u;
    while (*at != NULL && (*at)->object != object)
        at = &(*at)->next;
    if ((u = *at) == NULL || u->holds < count)
        return RT_FAIL(cudaErrorInvalidValue, _("the object has fewer references than that"));
    u->holds -= count;
    if (u->holds == 0) {
        *at = u->next;
        free(u);
    }
    release(object, count);
    return cudaSuccess;
}
