/* driver.c: a libcuda.so.1 for programs that look for NVIDIA's driver on softgpu. These are
 * programs with the static runtime, which calls the driver itself, NVIDIA's libraries, which
 * contain that runtime, and programs that use the driver's API. All receive the answer "no device",
 * and softgpu's report names the refused library or feature.
 *
 * Every function of the driver is this one function, because it reads no argument. module.mk takes
 * the names from cuda.h. */
#include "runtime/softgpu/cudart/soft/extension.h"

#include <dlfcn.h>
#include <link.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { INVALID_VALUE = 1, NO_DEVICE = 100 };

#pragma GCC visibility push(default)
int softgpu_driver(void);
int cuGetErrorName(int error, const char **text);
int cuGetErrorString(int error, const char **text);
#pragma GCC visibility pop

/* Returns the file of the code if that is a shared library other than CUDA's runtime. */
static const char *library_of(const void *code) {
    Dl_info where;
    if (!dladdr(code, &where) || !where.dli_fname)
        return NULL;
    const char *slash = strrchr(where.dli_fname, '/'), *name = slash ? slash + 1 : where.dli_fname;
    bool library = strncmp(name, "lib", 3) == 0 && strstr(name, ".so") != NULL;
    return library && strncmp(name, "libcuda", 7) != 0 ? name : NULL;
}

/* Returns true if the program links to the driver or the shared runtime. The static runtime opens
 * the driver with dlopen() instead. */
static bool program_links_cuda(void) {
    struct link_map *program = dlopen(NULL, RTLD_LAZY);
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = program ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = strings ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && (strcmp(strings + d->d_un.d_val, "libcuda.so.1") == 0 ||
                                      strcmp(strings + d->d_un.d_val, "libcudart.so.13") == 0))
            return true;
    return false;
}

/* Reports to softgpu's runtime, which is beside this library and records refusals. */
static void note(const char *library) {
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW);
    __typeof__(&softgpu_note_driver) note_driver =
        runtime ? (__typeof__(note_driver))dlsym(runtime, "softgpu_note_driver") : NULL;
    if (note_driver)
        note_driver(library, library == NULL && program_links_cuda());
}

int softgpu_driver(void) {
    /* nvcc asks for -arch=native, and reports itself that there is no device */
    if (strcmp(program_invocation_short_name, "__nvcc_device_query") != 0)
        note(library_of(__builtin_return_address(0)));
    return NO_DEVICE;
}

/* Programs print the text without checking the status. */
static int describe(int error, const char *text, const char **out) {
    if (out == NULL)
        return INVALID_VALUE;
    *out = error == NO_DEVICE ? text : "unrecognized error code";
    return error == NO_DEVICE ? 0 : INVALID_VALUE;
}

int cuGetErrorName(int error, const char **text) {
    return describe(error, "CUDA_ERROR_NO_DEVICE", text);
}

int cuGetErrorString(int error, const char **text) {
    return describe(error, "no CUDA-capable device is detected", text);
}
