/* launch.c: checks a program's launch and packs its parameters. The backend then runs or records
 * it. */
#include "runtime/softgpu/cudart/work.h"

RT_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
RT_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                         size_t shared, cudaStream_t stream);

/* Returns what to write instead of blocks that are too large. */
static const char *remedy(const dim3 *grid, uint64_t threads, int most) {
    bool swapped = grid->x > 1 && (uint64_t)grid->x * grid->y * grid->z <= (unsigned)most;
    return swapped && threads > (unsigned)most
               ? _(". Are the two swapped? It is kernel<<<blocks, threads>>>(...)")
               : _(": launch more blocks, of 256 threads, say: "
                   "kernel<<<(n + 255) / 256, 256>>>(...)");
}

static bool check_block(const rt_kernel *kernel, const dim3 *grid, const dim3 *block,
                        sg_error *err) {
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    if (threads == 0)
        return wb_fail(err, cudaErrorInvalidValue,
                       _("the block is %u x %u x %u: a dimension is zero"), block->x, block->y,
                       block->z);
    if (block->x > (unsigned)prop->maxThreadsDim[0] ||
        block->y > (unsigned)prop->maxThreadsDim[1] ||
        block->z > (unsigned)prop->maxThreadsDim[2] || threads > (unsigned)prop->maxThreadsPerBlock)
        return wb_fail(
            err, cudaErrorInvalidValue,
            _("the block is %u x %u x %u, that is %llu threads; at most %d threads fit in a "
              "block, and at most %d x %d x %d%s"),
            block->x, block->y, block->z, (unsigned long long)threads, prop->maxThreadsPerBlock,
            prop->maxThreadsDim[0], prop->maxThreadsDim[1], prop->maxThreadsDim[2],
            remedy(grid, threads, prop->maxThreadsPerBlock));
    if (threads > kernel->info.max_threads)
        return wb_fail(
            err, cudaErrorInvalidValue,
            _("the block has %llu threads, and the kernel's __launch_bounds__ promise at "
              "most %u"),
            (unsigned long long)threads, kernel->info.max_threads);
    return true;
}

static bool check_grid(const dim3 *grid, sg_error *err) {
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return wb_fail(
            err, cudaErrorInvalidValue,
            _("the grid is %u x %u x %u: a dimension is zero. Launch nothing where there is "
              "nothing to do, and round the number of blocks up where there is"),
            grid->x, grid->y, grid->z);
    if (grid->x > (unsigned)prop->maxGridSize[0] || grid->y > (unsigned)prop->maxGridSize[1] ||
        grid->z > (unsigned)prop->maxGridSize[2])
        return wb_fail(err, cudaErrorInvalidValue,
                       _("the grid is %u x %u x %u; at most %d x %d x %d is possible"), grid->x,
                       grid->y, grid->z, prop->maxGridSize[0], prop->maxGridSize[1],
                       prop->maxGridSize[2]);
    return true;
}

static bool check_shared(const rt_kernel *kernel, size_t dynamic, sg_error *err) {
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    if (kernel->info.static_shared > prop->sharedMemPerBlock) /* ptxas would refuse it */
        return wb_fail(err, cudaErrorInvalidValue,
                       _("its __shared__ variables take %zu bytes, and %zu are allowed; only "
                         "dynamic shared memory can be larger (extern __shared__, the third "
                         "launch argument, cudaFuncSetAttribute)"),
                       kernel->info.static_shared, prop->sharedMemPerBlock);
    size_t allowed = prop->sharedMemPerBlock > kernel->info.static_shared
                         ? prop->sharedMemPerBlock - kernel->info.static_shared
                         : 0;
    if (kernel->max_dynamic_shared >= 0 && (size_t)kernel->max_dynamic_shared > allowed)
        allowed = (size_t)kernel->max_dynamic_shared;
    if (dynamic <= allowed)
        return true;
    return wb_fail(
        err, cudaErrorInvalidValue,
        _("the launch asks for %zu bytes of dynamic shared memory beside %zu static ones; "
          "%zu are allowed%s"),
        dynamic, kernel->info.static_shared, allowed,
        dynamic + kernel->info.static_shared <= prop->sharedMemPerBlockOptin
            ? _(" unless cudaFuncSetAttribute(kernel, "
                "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) asks for more first")
            : _(": a tile or a number a thread fits there, a whole array does not"));
}

/* From libstdc++, which nvcc links into every program. Without it names stay mangled. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status)
    __attribute__((weak));

char *rt_plain_name(const char *symbol) {
    int status = -1; /* "s" would be read as short */
    bool mangled = strncmp(symbol, "_Z", 2) == 0 && __cxa_demangle;
    char *plain = mangled ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
    return plain ? plain : strdup(symbol);
}

/* Puts "kernel transpose: " before the error of its launch. Returns false. */
static bool named(const rt_kernel *kernel, sg_error *err) {
    char text[sizeof err->text], *plain = rt_plain_name(kernel->name);
    const char *name = plain ? plain : "";
    name += strncmp(name, "void ", 5) == 0 ? 5 : 0; /* a template's result type */
    snprintf(text, sizeof text, "%s", err->text);
    snprintf(err->text, sizeof err->text, _("kernel %.*s: %.900s"), (int)strcspn(name, "("), name,
             text);
    free(plain);
    return false;
}

bool rt_launch_check(const rt_launch *l, sg_error *err) {
    const dim3 *grid = &l->grid, *block = &l->block;
    if (!check_block(l->kernel, grid, block, err) || !check_grid(grid, err) ||
        !check_shared(l->kernel, l->shared, err))
        return named(l->kernel, err);
    if (!l->cooperative)
        return true;
    uint64_t blocks = (uint64_t)grid->x * grid->y * grid->z;
    uint64_t fit =
        (uint64_t)rt_device_get()->prop.multiProcessorCount *
        (uint64_t)rt_blocks_per_sm(l->kernel, (int)(block->x * block->y * block->z), l->shared);
    if (blocks > fit)
        return wb_fail(
            err, cudaErrorCooperativeLaunchTooLarge,
            _("the cooperative launch has %llu blocks, and %llu run at once on this device; "
              "ask cudaOccupancyMaxActiveBlocksPerMultiprocessor"),
            (unsigned long long)blocks, (unsigned long long)fit);
    return true;
}

/* Copies each argument to its place in the packed parameters. */
static uint8_t *pack(const rt_kernel *kernel, void **args) {
    uint8_t *params = calloc(1, kernel->info.param_bytes + 1u);
    for (uint32_t i = 0; params != NULL && i < kernel->info.n_params; i++)
        memcpy(params + kernel->info.param_offsets[i], args[i], kernel->info.param_sizes[i]);
    return params;
}

bool rt_launch_prepare(const void *function, rt_launch *l, void **args, sg_error *err) {
    l->kernel = rt_kernel_find(function, err);
    rt_launched = l->kernel ? l->kernel->name : NULL;
    if (l->kernel == NULL || !rt_launch_check(l, err))
        return false;
    if (l->kernel->info.n_params > 0 && args == NULL)
        return wb_fail(err, cudaErrorInvalidValue,
                       _("the kernel has parameters, and none are given"));
    l->params = pack(l->kernel, args);
    return l->params != NULL ||
           wb_fail(err, cudaErrorMemoryAllocation, _("no memory for the kernel's parameters"));
}

cudaError_t rt_launch_run(const char *call, rt_launch *l) {
    sg_error err = {0};
    cudaError_t code = rt_backend_launch(l, &err);
    return code == cudaSuccess ? code : rt_fail_as(call, &err);
}

static cudaError_t launch(const char *call, const void *function, rt_launch *l, void **args,
                          cudaStream_t stream) {
    sg_error err = {0};
    cudaError_t code = rt_stream_check(call, stream);
    if (code != cudaSuccess)
        return code;
    if (!rt_launch_prepare(function, l, args, &err)) {
        err.code = (int)rt_capture_failed(stream, (cudaError_t)err.code);
        return rt_fail_as(call, &err);
    }
    rt_work work = {.type = cudaGraphNodeTypeKernel, .launch = *l};
    if (!rt_capture_work(call, stream, &work, &code))
        code = rt_launch_run(call, &work.launch);
    free(work.launch.params);
    return code;
}

static const dim3 no_cluster = {1, 1, 1};

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t stream) {
    rt_launch l = {.grid = grid, .block = block, .cluster = no_cluster, .shared = shared};
    return launch("cudaLaunchKernel", function, &l, args, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
    rt_launch l = {
        .grid = grid, .block = block, .cluster = no_cluster, .shared = shared, .cooperative = true};
    return launch("cudaLaunchCooperativeKernel", function, &l, args, stream);
}

/* Sets a launch attribute. Attributes for speed, or for an overlap that in-order execution allows,
 * change no result and are ignored. Others are refused. */
bool rt_launch_attribute(const cudaLaunchAttribute *attribute, rt_launch *l) {
    switch (attribute->id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
        return true;
    case cudaLaunchAttributeCooperative:
        l->cooperative = attribute->val.cooperative != 0;
        return true;
    case cudaLaunchAttributeClusterDimension:
        l->cluster = (dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y,
                            attribute->val.clusterDim.z};
        return true;
    default:
        return false;
    }
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **args) {
    if (config == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("the configuration is NULL"));
    rt_launch l = {.grid = config->gridDim,
                   .block = config->blockDim,
                   .cluster = no_cluster,
                   .shared = config->dynamicSmemBytes};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (!rt_launch_attribute(&config->attrs[i], &l))
            return rt_refuse(SG_REFUSED_LAUNCH_ATTRIBUTES, __func__);
    }
    return launch("cudaLaunchKernelExC", function, &l, args, config->stream);
}

/* nvcc's stubs ask for the handle once. The launch reports a kernel's errors. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    rt_kernel *found = rt_kernel_peek(host);
    rt_launched = NULL;
    *kernel = (cudaKernel_t)found;
    return found != NULL ? cudaSuccess
                         : rt_fail(cudaErrorInvalidDeviceFunction, rt_a_launch,
                                   _("the kernel is not registered: its module was unloaded"));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream) {
    rt_launch l = {.grid = grid, .block = block, .cluster = no_cluster, .shared = shared};
    return launch(rt_a_launch, kernel, &l, args, stream);
}
