/* libFuzzer: any bytes as a GPU's file; one that is accepted gives occupancies or refusals. */
#include "runtime/model/occupancy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_error err = {0};
    model_gpu gpu;
    if (!model_gpu_parse("gpu.json", (const char *)data, size, &gpu, &err)) {
        if (!err.text[0])
            abort();
        return 0;
    }
    for (uint64_t threads = 0; threads < 2000; threads += 97) {
        model_block block = {threads, threads % 256, threads * 100};
        model_occupancy occupancy;
        err.text[0] = '\0';
        if (model_occupancy_of(&gpu, &block, &occupancy, &err) ? occupancy.blocks == 0
                                                               : !err.text[0])
            abort();
    }
    return 0;
}
