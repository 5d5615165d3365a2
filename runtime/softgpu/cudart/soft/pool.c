/* pool.c: memory pools. cudaMallocAsync() allocates at once here, so a pool only stores attributes.
 * Its memory is ordinary memory. */
#include "runtime/softgpu/cudart/soft/soft.h"

struct CUmemPoolHandle_st {
    uint64_t release_threshold;
    int reuse[3]; /* follow event dependencies, opportunistic, internal dependencies */
};

static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}};
static cudaMemPool_t current = &default_pool;
static rt_map pools;

static cudaError_t check(const char *call, cudaMemPool_t pool) {
    if (pool == &default_pool || rt_map_get(&pools, pool) != NULL)
        return cudaSuccess;
    return rt_fail(cudaErrorInvalidValue, call, _("the memory pool was never created"));
}
#define POOL(pool) RT_ALLOWED(check(__func__, pool))

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    RT_ENTER();
    RT_OUT(pool);
    RT_DEVICE(device);
    *pool = &default_pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    RT_ENTER();
    RT_OUT(pool);
    RT_DEVICE(device);
    *pool = current;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    RT_ENTER();
    RT_OUT(pool);
    RT_DEVICE(device);
    POOL(pool);
    current = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    RT_ENTER();
    RT_OUT(pool);
    if (props == NULL || props->location.type != cudaMemLocationTypeDevice ||
        props->location.id != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("pools are on device 0 here"));
    if (props->handleTypes != cudaMemHandleTypeNone)
        return rt_refuse(SG_REFUSED_IPC, __func__);
    cudaMemPool_t made = calloc(1, sizeof *made);
    if (made == NULL)
        return RT_FAIL(cudaErrorMemoryAllocation, _("no memory for a pool"));
    *made = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1}};
    rt_map_put(&pools, made, made);
    *pool = made;
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    RT_ENTER();
    POOL(pool);
    if (pool == &default_pool)
        return RT_FAIL(cudaErrorInvalidValue, _("the default pool can't be destroyed"));
    rt_map_remove(&pools, pool);
    if (current == pool)
        current = &default_pool;
    free(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
    (void)bytes; /* freed memory is released at once */
    RT_ENTER();
    POOL(pool);
    return cudaSuccess;
}

/* Returns the attribute's int in the pool, or NULL. */
static int *int_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr which) {
    switch (which) {
    case cudaMemPoolReuseFollowEventDependencies:
        return &pool->reuse[0];
    case cudaMemPoolReuseAllowOpportunistic:
        return &pool->reuse[1];
    case cudaMemPoolReuseAllowInternalDependencies:
        return &pool->reuse[2];
    default:
        return NULL;
    }
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value) {
    RT_ENTER();
    POOL(pool);
    int *place = int_attribute(pool, which);
    if (value == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the value is NULL"));
    if (place != NULL)
        *place = *(const int *)value;
    else if (which == cudaMemPoolAttrReleaseThreshold)
        pool->release_threshold = *(const uint64_t *)value;
    else if ((which != cudaMemPoolAttrReservedMemHigh && which != cudaMemPoolAttrUsedMemHigh) ||
             *(const uint64_t *)value != 0)
        return RT_FAIL(cudaErrorInvalidValue, _("pool attribute %d can't be set so"), (int)which);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value) {
    size_t used, total;
    RT_ENTER();
    POOL(pool);
    const int *place = int_attribute(pool, which);
    RT_OUT(value);
    if (place != NULL) {
        *(int *)value = *place;
        return cudaSuccess;
    }
    switch (which) {
    case cudaMemPoolAttrReleaseThreshold:
        *(uint64_t *)value = pool->release_threshold;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrUsedMemHigh:
        sg_mem_usage(&used, &total);
        *(uint64_t *)value = used;
        return cudaSuccess;
    default:
        return RT_FAIL(cudaErrorInvalidValue, _("pool attribute %d is not known"), (int)which);
    }
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t n) {
    RT_ENTER();
    POOL(pool);
    for (size_t i = 0; i < n; i++) {
        if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0)
            return RT_FAIL(cudaErrorInvalidDevice, _("there is one device, number 0"));
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location) {
    RT_ENTER();
    POOL(pool);
    if (flags == NULL || location == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the pointer to write to is NULL"));
    *flags = location->type == cudaMemLocationTypeDevice && location->id == 0
                 ? cudaMemAccessFlagsProtReadWrite
                 : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    RT_ENTER();
    POOL(pool);
    return cudaMallocAsync(out, bytes, stream);
}
