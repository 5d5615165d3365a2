/* library.c: device code that the program loads itself (cudaLibraryLoadData() and similar). PTX
 * text or a fat binary becomes a module of the registry, like the program's own kernels. */
#include "runtime/softgpu/cudart/rt.h"

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

static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rbe");
    char *data = NULL;
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        if (size >= 0 && size <= MAX_FILE && (data = malloc((size_t)size + 1)) != NULL) {
            *len = fread(data, 1, (size_t)size, file);
            data[*len] = '\0';
        }
    }
    fclose(file);
    return data;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    enum cudaJitOption *jit_options, void **jit_values,
                                    unsigned n_jit, enum cudaLibraryOption *options, void **values,
                                    unsigned n) {
    (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    size_t len = 0;
    RT_ENTER();
    if (library == NULL || path == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("a library and the name of its file are needed"));
    char *data = read_file(path, &len);
    if (data == NULL)
        return RT_FAIL(cudaErrorFileNotFound, _("%s can't be read"), path);
    if (fatbin_identify(data, len) == FATBIN_FORM_WRAPPER) {
        free(data);
        return RT_FAIL(cudaErrorInvalidKernelImage, _("%s is not PTX or a fat binary"), path);
    }
    rt_module *module = rt_module_new(data, len);
    if (module != NULL)
        module->owned_code = data;
    else
        free(data);
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

static rt_kernel *known_kernel(const rt_module *module, const char *name) {
    rt_kernel *kernel = module->kernels;
    while (kernel != NULL && strcmp(kernel->name, name) != 0)
        kernel = kernel->sibling;
    return kernel;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name) {
    sg_error err = {0};
    RT_ENTER();
    LIBRARY(library);
    if (out == NULL || name == NULL)
        return RT_FAIL(cudaErrorInvalidValue, _("a name and a place for the kernel are needed"));
    RT_LOCKED();
    rt_kernel *kernel = known_kernel(module, name);
    if (kernel == NULL)
        kernel = rt_kernel_new(module, NULL, name);
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
