/* register.c: the entry points that nvcc's host code calls before and around main(): registration
 * of fat binaries, kernels and variables, and the launch configuration <<<...>>>. No public header
 * has them; crt/host_runtime.h and crt/device_functions.h declare them. */
#include "runtime/softgpu/cudart/rt.h"

RT_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
RT_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
RT_EXPORT void __cudaUnregisterFatBinary(void **handle);
RT_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                      const char *name, int thread_limit, uint3 *tid, uint3 *bid,
                                      dim3 *block, dim3 *grid, int *warp);
RT_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                                 size_t size, int constant, int global);
RT_EXPORT void __cudaRegisterManagedVar(void **handle, void **pointer, char *device,
                                        const char *name, int ext, size_t size, int constant,
                                        int global);
RT_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
RT_EXPORT char __cudaInitModule(void **handle);
RT_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                               struct CUstream_st *stream);
RT_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                                 void *stream);

/* Only records a fat binary. Its content is examined at its first use. */
void **__cudaRegisterFatBinary(void *wrapper) {
    return (void **)rt_module_new(wrapper, SIZE_MAX);
}

void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle) {
    rt_module *module = (rt_module *)handle;
    if (module != NULL && rt_module_live(module))
        rt_module_remove(module);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp) {
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    if (handle != NULL)
        rt_kernel_new((rt_module *)handle, host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global) {
    (void)device, (void)ext, (void)global;
    if (handle == NULL)
        return;
    rt_variable *variable = rt_variable_new((rt_module *)handle, host, name, size);
    if (variable != NULL)
        variable->constant = constant != 0;
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                              int ext, size_t size, int constant, int global) {
    (void)device, (void)ext, (void)global, (void)constant;
    if (handle == NULL)
        return;
    rt_variable *variable = rt_variable_new((rt_module *)handle, pointer, name, size);
    if (variable != NULL) {
        variable->managed = true;
        variable->pointer = pointer;
    }
}

/* Refuses host memory that device code names directly, which needs hardware with shared page
 * tables. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) {
    (void)handle, (void)host, (void)size;
    rt_refuse_as(SG_REFUSED_HOST_VARIABLES, __func__,
                 _("host variable %s is used in device code, which %s does not support; make it "
                   "__managed__ or __device__"),
                 name, rt_backend_name);
}

/* Host code calls this before it uses a managed variable. */
char __cudaInitModule(void **handle) {
    sg_error err;
    if (handle == NULL)
        wb_fail(&err, cudaErrorMemoryAllocation, _("no memory"));
    if (handle == NULL || !rt_module_load((rt_module *)handle, &err)) {
        rt_fail_as(__func__, &err);
        return 0;
    }
    for (rt_variable *v = ((rt_module *)handle)->variables; v != NULL; v = v->sibling) {
        size_t bytes;
        if (v->managed && rt_backend_symbol((rt_module *)handle, v->name, &bytes) == NULL)
            rt_fail(cudaErrorNotSupported, "__managed__",
                    _("host code uses the __managed__ variable %s, which %s has no memory for; use "
                      "cudaMalloc"),
                    v->name, rt_backend_name);
    }
    return 1;
}

/* ---- <<<grid, block, shared, stream>>> ---------------------------------------------------- */

/* Arguments of a launch may launch kernels of their own. */
enum { MAX_NESTED = 32 };

static _Thread_local struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed[MAX_NESTED];
static _Thread_local unsigned depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream) {
    if (depth == MAX_NESTED)
        return RT_FAIL(cudaErrorLaunchOutOfResources, _("more than %d nested launches"),
                       MAX_NESTED);
    pushed[depth++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (depth == 0)
        return RT_FAIL(cudaErrorMissingConfiguration, _("a kernel is called without <<<...>>>"));
    const struct configuration *c = &pushed[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}
