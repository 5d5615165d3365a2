/* probe.c: warpbook-probe, a separate process that loads NVIDIA's driver and runtime. It prints the
 * first GPU as key=value lines and exits 0, or prints error=REASON and exits 1.
 *
 * It declares the few entry points itself (from NVIDIA's CUDA driver API reference), so Warpbook
 * builds without a toolkit's headers. */
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>

enum { ATTRIBUTE_MULTIPROCESSORS = 16, ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };

static int fail(const char *what, int code) {
    if (code)
        printf("error=%s (error %d)\n", what, code);
    else
        printf("error=%s\n", what);
    return 1;
}

/* Checks the runtime library: its version may not fit the driver. */
static int check_runtime(void) {
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW);
    if (!runtime)
        return fail("libcudart.so.13 was not found; run `make` in Warpbook's folder, or put the "
                    "CUDA toolkit's library folder on LD_LIBRARY_PATH",
                    0);
    int (*count)(int *) = (int (*)(int *))dlsym(runtime, "cudaGetDeviceCount");
    const char *(*describe)(int) = (const char *(*)(int))dlsym(runtime, "cudaGetErrorString");
    int n = 0, status = count ? count(&n) : -1;
    if (status || n < 1)
        return fail(describe && status > 0 ? describe(status) : "cudaGetDeviceCount found none",
                    status);
    Dl_info where;
    char path[4096];
    if (dladdr((void *)count, &where) && where.dli_fname) {
        snprintf(path, sizeof path, "%s", where.dli_fname);
        printf("library_dir=%s\n", dirname(path));
    }
    return 0;
}

int main(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return fail("the driver's libcuda.so.1 can't be loaded; install NVIDIA's driver", 0);
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    int (*version)(int *) = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    int (*get)(int *, int) = (int (*)(int *, int))dlsym(driver, "cuDeviceGet");
    int (*name)(char *, int, int) = (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetName");
    int (*attribute)(int *, int, int) =
        (int (*)(int *, int, int))dlsym(driver, "cuDeviceGetAttribute");
    int (*memory)(size_t *, int) = (int (*)(size_t *, int))dlsym(driver, "cuDeviceTotalMem_v2");
    if (!init || !version || !get || !name || !attribute || !memory)
        return fail("libcuda.so.1 lacks the functions every driver has", 0);
    int status = init(0), device = 0, v = 0, major = 0, minor = 0, units = 0;
    size_t bytes = 0;
    char text[128] = "";
    if (status)
        return fail("the driver does not start (cuInit)", status);
    if ((status = version(&v)) || (status = get(&device, 0)) ||
        (status = name(text, sizeof text, device)) ||
        (status = attribute(&major, ATTRIBUTE_MAJOR, device)) ||
        (status = attribute(&minor, ATTRIBUTE_MINOR, device)) ||
        (status = attribute(&units, ATTRIBUTE_MULTIPROCESSORS, device)) ||
        (status = memory(&bytes, device)))
        return fail("the driver does not describe device 0", status);
    if (v < 13000) {
        printf("error=the driver is for CUDA %d.%d, and CUDA 13 needs a newer one (580 or later)\n",
               v / 1000, v % 1000 / 10);
        return 1;
    }
    printf("name=%s\ndriver=%d.%d\ncapability=%d\nmemory=%zu\nmultiprocessors=%d\n", text, v / 1000,
           v % 1000 / 10, major * 10 + minor, bytes, units);
    return check_runtime();
}
