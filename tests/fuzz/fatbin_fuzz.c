/* Any bytes as a fat binary: PTX or an error, never a read beyond them. */
#include <stdlib.h>

#include "runtime/softgpu/cudart/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_error err;
    size_t len;
    /* The wrapper holds a pointer that its program vouches for; bytes can't. */
    if (fatbin_identify(data, size) != FATBIN_FORM_WRAPPER)
        free(fatbin_ptx(data, size, 90, &len, &err));
    return 0;
}
