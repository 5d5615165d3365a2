/* lower_fuzz.c: PTX that parses but makes no sense, through the lowering: it is refused or lowered,
 * never a crash. Nothing is run. */
#include "runtime/softgpu/lower/lower.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sg_error err = {0};
    sg_module *module = sg_module_load((const char *)data, size, &err);
    if (!module)
        return 0;
    for (uint32_t i = 0; i < module->ptx->n_functions; i++) {
        sg_kernel *kernel = sg_module_kernel(module, module->ptx->functions[i]->name, &err);
        sg_kernel_info info;
        if (!kernel || !sg_kernel_describe(kernel, &info, &err))
            continue;
        sg_lower(kernel, 0, &err);
        sg_lower(kernel, SG_RECORDS, &err);
        sg_lower(kernel, SG_COUNT | SG_LINES, &err);
        sg_lower(kernel, SG_COUNT | SG_TRACE, &err);
    }
    sg_module_unload(module);
    return 0;
}
