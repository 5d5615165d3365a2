/* resources.c: what CUDA's assembler (ptxas) gives a kernel. Occupancy, the limit of cooperative
 * launches and the model of time all take it from here. It is asked when a program first needs it,
 * because most programs never do. */
#include "runtime/softgpu/cudart/fatbin.h"
#include "runtime/softgpu/cudart/rt.h"

static bool ask(const rt_kernel *kernel, unsigned capability, model_resources *out) {
    wb_error err = {0};
    size_t len = 0;
    char *ptxas = model_ptxas(&err), *ptx = NULL;
    if (ptxas != NULL)
        ptx = fatbin_ptx(kernel->module->code, kernel->module->limit, capability, &len, &err);
    bool found = false;
    for (size_t at = 0, n; ptx != NULL && !found && at < len; at += n + 1) {
        n = strnlen(ptx + at, len - at); /* one of several sources that are linked */
        found = model_resources_of(ptxas, ptx + at, n, kernel->name, capability, out, &err);
    }
    WB_FREE(ptxas, ptx);
    return found;
}

bool rt_resources(rt_kernel *kernel, unsigned capability, model_resources *out) {
    RT_LOCKED();
    if (kernel->assembled_for != capability && kernel->module != NULL) {
        kernel->assembled_for = capability;
        kernel->assembled = ask(kernel, capability, &kernel->resources);
    }
    *out = kernel->resources;
    return kernel->assembled;
}

uint32_t rt_registers(rt_kernel *kernel) {
    const struct cudaDeviceProp *prop = &rt_device_get()->prop;
    model_resources found;
    return rt_resources(kernel, (unsigned)(prop->major * 10 + prop->minor), &found)
               ? (uint32_t)found.registers
               : kernel->info.registers;
}
