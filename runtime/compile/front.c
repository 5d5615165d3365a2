/* front.c: see front.h. */
#include "runtime/compile/front.h"

#include <stdlib.h>

#include "runtime/device/toolkit.h"

bool wb_front_may(const wb_compile_spec *spec) {
    static const char *const more[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    for (size_t i = 0; i < WB_COUNT(more); i++) /* which nvcc reads */
        if (getenv(more[i]) && *getenv(more[i]))
            return false;
    return spec->front && spec->kind == WB_COMPILE_SHARED && !spec->wrapper && spec->cwd &&
           spec->sources[0] && !spec->sources[1];
}

bool wb_front_compile(const wb_compile_spec *spec, const char *folder, wb_compile_result *result) {
    wb_toolkit toolkit;
    wb_error why = {0};
    if (!wb_toolkit_find(&toolkit, &why))
        return false;
    char *source = wb_format("%s/%s", spec->cwd, spec->sources[0]);
    char *output = wb_format("%s/output", folder), *inputs = wb_format("%s/inputs.d", folder);
    char *log = wb_format("%s", "");
    bool ok = source && output && inputs && log &&
              wb_frontend_make(spec->front,
                               &(wb_frontend_job){.source = source,
                                                  .flags = spec->flags,
                                                  .folder = folder,
                                                  .output = output,
                                                  .depfile = inputs,
                                                  .cwd = spec->cwd,
                                                  .link_dir = toolkit.link_dir,
                                                  .library_dir = toolkit.library_dir,
                                                  .include_dir = toolkit.include_dir,
                                                  .stop = spec->stop},
                               &why);
    if (ok) {
        result->ok = true;
        result->log = log;
    } else {
        free(log);
    }
    free(source);
    free(output);
    free(inputs);
    return ok;
}
