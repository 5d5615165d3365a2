/* function.c: queries and settings of kernels. */
#include "runtime/softgpu/cudart/rt.h"

#define FIND(kernel, function)                                                                     \
    sg_error err_ = {0};                                                                           \
    rt_kernel *kernel = rt_kernel_find((function), &err_);                                         \
    if (kernel == NULL)                                                                            \
    return rt_fail_as(__func__, &err_)

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    RT_ENTER();
    FIND(kernel, function);
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    const sg_kernel_info *info = &kernel->info;
    int room = (int)(prop->sharedMemPerBlock - info->static_shared);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = info->static_shared;
    attributes->constSizeBytes = info->constant_bytes;
    attributes->localSizeBytes = info->local_bytes;
    attributes->maxThreadsPerBlock = (int)info->max_threads;
    attributes->numRegs = (int)rt_registers(kernel);
    attributes->ptxVersion = (int)info->ptx_target;
    attributes->binaryVersion = prop->major * 10 + prop->minor;
    attributes->maxDynamicSharedSizeBytes =
        kernel->max_dynamic_shared >= 0 ? kernel->max_dynamic_shared : room;
    attributes->preferredShmemCarveout = kernel->carveout;
    attributes->clusterDimMustBeSet = kernel->cluster[0] != 0;
    attributes->requiredClusterWidth = (int)kernel->cluster[0];
    attributes->requiredClusterHeight = (int)kernel->cluster[1];
    attributes->requiredClusterDepth = (int)kernel->cluster[2];
    attributes->nonPortableClusterSizeAllowed = kernel->non_portable_cluster;
    return cudaSuccess;
}

static cudaError_t set_attribute(const char *call, rt_kernel *kernel, enum cudaFuncAttribute which,
                                 int value) {
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    switch (which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (size_t)value + kernel->info.static_shared > prop->sharedMemPerBlockOptin)
            return rt_fail(
                cudaErrorInvalidValue, call,
                _("%d bytes of dynamic shared memory beside %zu static ones are more than "
                  "the %zu a block can have"),
                value, kernel->info.static_shared, prop->sharedMemPerBlockOptin);
        kernel->max_dynamic_shared = value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return rt_fail(cudaErrorInvalidValue, call,
                           _("the carveout is a percentage, -1 to 100"));
        kernel->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->non_portable_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        return rt_refuse(SG_REFUSED_CLUSTERS, call);
    default:
        return rt_fail(cudaErrorInvalidValue, call, _("function attribute %d is not known"),
                       (int)which);
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute which, int value) {
    RT_ENTER();
    FIND(kernel, function);
    return set_attribute(__func__, kernel, which, value);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t handle, enum cudaFuncAttribute which,
                                            int value, int device) {
    RT_ENTER();
    RT_DEVICE(device);
    FIND(kernel, handle);
    return set_attribute(__func__, kernel, which, value);
}

/* Hints for hardware caches have no effect. Only the function is checked. */
static cudaError_t hint(const char *call, const void *function) {
    sg_error err = {0};
    RT_ALLOWED(rt_sticky(call));
    return rt_kernel_find(function, &err) ? cudaSuccess : rt_fail_as(call, &err);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    (void)config;
    return hint(__func__, function);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
    (void)config;
    return hint(__func__, function);
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
    RT_ENTER();
    RT_OUT(name);
    FIND(kernel, function);
    *name = kernel->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
    RT_ENTER();
    FIND(kernel, function);
    if (index >= kernel->info.n_params || offset == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the kernel has %u parameters, not a number %zu"),
                       kernel->info.n_params, index);
    *offset = kernel->info.param_offsets[index];
    if (size != NULL)
        *size = kernel->info.param_sizes[index];
    return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *host) {
    RT_ENTER();
    RT_OUT(handle);
    FIND(kernel, host);
    *handle = (cudaKernel_t)kernel;
    return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *host) {
    RT_ENTER();
    RT_OUT(handle);
    FIND(kernel, host);
    *handle = (cudaFunction_t)kernel;
    return cudaSuccess;
}
