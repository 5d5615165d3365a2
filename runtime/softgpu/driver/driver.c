/* driver.c: libcuda.so.1 for programs that look for NVIDIA's driver where there is only softgpu:
 * those with the static runtime, which asks the driver itself, NVIDIA's libraries, which have it
 * too, and those that use the driver's own interface. They could only fail; so they are told what
 * to do, once, and that there is no device.
 *
 * Every name of the driver is this one function (module.mk takes the names from cuda.h): what it is
 * called with does not matter to a function that looks at none of it. */
#include "runtime/base/base.h"
#include "runtime/base/language.h"

#include <dlfcn.h>
#include <link.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INVALID_VALUE = 1, NO_DEVICE = 100 };

#pragma GCC visibility push(default)
int softgpu_driver(void);
int cuGetErrorName(int error, const char **text);
int cuGetErrorString(int error, const char **text);
#pragma GCC visibility pop

/* The file that code lies in, where it is a shared library other than the CUDA runtime. */
static const char *library_of(const void *code) {
    Dl_info where;
    if (!dladdr(code, &where) || !where.dli_fname)
        return NULL;
    const char *slash = strrchr(where.dli_fname, '/'), *name = slash ? slash + 1 : where.dli_fname;
    bool library = strncmp(name, "lib", 3) == 0 && strstr(name, ".so") != NULL;
    return library && strncmp(name, "libcuda", 7) != 0 ? name : NULL;
}

/* Returns true if the program itself names libcuda.so.1 as a library that it needs. The static
 * runtime opens the driver with dlopen() instead. */
static bool program_links_driver(void) {
    struct link_map *program = dlopen(NULL, RTLD_LAZY);
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = program ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = strings ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strcmp(strings + d->d_un.d_val, "libcuda.so.1") == 0)
            return true;
    return false;
}

/* Libraries of NVIDIA's bring the static runtime with them. */
static void tell(const char *library) {
    if (!library && program_links_driver())
        fprintf(
            stderr,
            wb_tr("softgpu: %s calls the CUDA driver API (libcuda.so.1), which softgpu does not "
                  "have; use the CUDA runtime API or run it on a GPU\n"),
            program_invocation_short_name);
    else if (!library)
        fprintf(
            stderr,
            wb_tr("softgpu: %s looks for NVIDIA's driver (libcuda.so.1), and softgpu is the device "
                  "here: it was linked with the static CUDA runtime, or calls the driver itself. "
                  "Built with `nvcc -cudart shared` a program of the runtime runs on softgpu\n"),
            program_invocation_short_name);
    else
        fprintf(
            stderr,
            wb_tr("softgpu: %s looks for NVIDIA's driver (libcuda.so.1), and softgpu is the "
                  "device here: the library has a CUDA runtime of its own, so its functions "
                  "fail without a GPU and leave their results as they were. softgpu has cuBLAS; "
                  "of cuRAND it runs curand_kernel.h, and curandCreateGeneratorHost() works on "
                  "the host\n"),
            library);
}

/* Creates a file beside the report, which libcudart.so.13 may overwrite. `warpbook exec` looks for
 * it. */
static void leave_mark(void) {
    const char *report = getenv("WARPBOOK_SOFTGPU_REPORT");
    char path[4096];
    if (report == NULL || report[0] != '/' ||
        snprintf(path, sizeof path, "%s.driver", report) >= (int)sizeof path)
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

int softgpu_driver(void) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    /* nvcc's own question for -arch=native: it says itself that it found none */
    bool nvcc = strcmp(program_invocation_short_name, "__nvcc_device_query") == 0;
    if (!nvcc && !atomic_flag_test_and_set(&said)) {
        tell(library_of(__builtin_return_address(0)));
        leave_mark();
    }
    return NO_DEVICE;
}

/* What programs print of the answer; they do not ask whether there is a text. */
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
