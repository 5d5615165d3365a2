/* library.c: device code that the program loads itself (cudaLibraryLoadData() and similar). PTX
 * text or a fat binary becomes a module of the registry, like the program's own kernels. */
#include "runtime/softgpu/cudart/rt.h"

#include "runtime/base/scoped.h"
#include "runtime/softgpu/cudart/fatbin.h"

enum { MAX_FILE = 256 << 20 };

static cudaError_t finish_load(const char *call, cudaLibrary_t *library, rt_module *module) {
    sg_error err = {0};
    if (module == NULL)
        return rt_fail(cudaErrorMemoryAllocation, call, _("no memory for a library"));
    if (!rt_module_load(module, &err)) {
        rt_module_remove(module);
        return rt_fail_as(call, &err);
    }
    *library = (cudaLibrary_t)module;
    return cudaSuccess;
}

/* The options are for machine code, which does not exist here. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jit_options, void **jit_values, unsigned n_jit,
                                enum cudaLibraryOption *options, void **values, unsigned n) {
    (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    RT_ENTER();
    if (library == NULL || code == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("a library and its code are needed"));
    return finish_load(__func__, library, rt_module_new(code, SIZE_MAX));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    enum cudaJitOption *jit_options, void **jit_values,
                                    unsigned n_jit, enum cudaLibraryOption *options, void **values,
                                    unsigned n) {
    (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    WB_SCOPED_BUF wb_buf file = {0};
    RT_ENTER();
    if (library == NULL || path == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("a library and the name of its file are needed"));
    if (!wb_file_read(path, MAX_FILE, &file, NULL))
        return RT_FAIL(cudaErrorFileNotFound, _("%s can't be read"), path);
    if (fatbin_identify(file.data, file.len) == FATBIN_FORM_WRAPPER)
        return RT_FAIL(cudaErrorInvalidKernelImage, _("%s is not PTX or a fat binary"), path);
    rt_module *module = rt_module_new(file.data, file.len);
    if (module != NULL)
        module->code = module->owned_code = wb_buf_steal(&file);
    return finish_load(__func__, library, module);
}

#define LIBRARY(library)                                                                           \
    rt_module *module = (rt_module *)(library);                                                    \
    if (!rt_module_live(module))                                                                   \
    return RT_FAIL(cudaErrorInvalidResourceHandle,                                                 \
                   _("the library was never loaded, or is unloaded"))

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    RT_ENTER();
    LIBRARY(library);
    rt_module_remove(module);
    return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name) {
    sg_error err = {0};
    RT_ENTER();
    LIBRARY(library);
    if (out == NULL || name == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("a name and a place for the kernel are needed"));
    RT_LOCKED();
    rt_kernel *kernel = rt_kernel_named(module, name);
    if (kernel == NULL || rt_kernel_find(kernel, &err) == NULL)
        return RT_FAIL(cudaErrorSymbolNotFound,
                       _("the library has no kernel %s that can be used: %s"), name, err.text);
    *out = (cudaKernel_t)kernel;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
    size_t size = 0;
    RT_ENTER();
    LIBRARY(library);
    void *found = name != NULL ? rt_backend_symbol(module, name, &size) : NULL;
    if (found == NULL)
        return RT_FAIL(cudaErrorSymbolNotFound, _("the library has no variable %s"),
                       name != NULL ? name : "NULL");
    if (address != NULL)
        *address = found;
    if (bytes != NULL)
        *bytes = size;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
                                  const char *name) {
    return cudaLibraryGetGlobal(address, bytes, library, name);
}
