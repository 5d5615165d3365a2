/* occupancy_test.c: blocks a multiprocessor: by a table, against the calculator that CUDA's toolkit
 * brings, and what a GPU refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/model/occupancy.h"

#if __has_include(<cuda_occupancy.h>)
#include <limits.h>
#include <cuda_occupancy.h>
#define HAS_CALCULATOR
#endif

static const char *const names[] = {"h200", "h100", "a100", "t4", "rtx4090", "rtx4060-laptop"};

static model_gpu gpu_called(const char *name) {
    char path[100];
    wb_error err = {0};
    model_gpu gpu;
    snprintf(path, sizeof path, "runtime/model/gpus/%s.json", name);
    if (!model_gpu_load(path, &gpu, &err))
        fail_msg("%s", err.text);
    return gpu;
}

static void the_table(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        model_block block;
        unsigned blocks, warps;
        model_limit limit;
    } cases[] = {
        {"h100", {256, 32, 0}, 8, 64, MODEL_LIMIT_THREADS},
        {"h100", {256, 64, 49152}, 4, 32, MODEL_LIMIT_REGISTERS},
        {"h100", {256, 40, 49152}, 4, 32, MODEL_LIMIT_SHARED},
        {"h100", {32, 16, 0}, 32, 32, MODEL_LIMIT_BLOCKS},
        {"h100", {1, 16, 0}, 32, 32, MODEL_LIMIT_BLOCKS},
        {"h100", {1024, 32, 4224}, 2, 64, MODEL_LIMIT_THREADS},
        {"h100", {1024, 64, 0}, 1, 32, MODEL_LIMIT_REGISTERS},
        {"h100", {256, 255, 0}, 1, 8, MODEL_LIMIT_REGISTERS},
        {"h100", {256, 65, 0}, 3, 24, MODEL_LIMIT_REGISTERS}, /* 65 are 72 */
        {"h100", {96, 168, 0}, 4, 12, MODEL_LIMIT_REGISTERS}, /* 3 warps on each scheduler */
        {"h100", {128, 32, 232448}, 1, 4, MODEL_LIMIT_SHARED},
        {"h100", {128, 32, 115712}, 2, 8, MODEL_LIMIT_SHARED},
        {"h100", {128, 32, 115713}, 1, 4, MODEL_LIMIT_SHARED},
        {"h100", {256, 0, 0}, 8, 64, MODEL_LIMIT_THREADS}, /* registers unknown */
        {"a100", {128, 32, 20000}, 7, 28, MODEL_LIMIT_SHARED},
        {"t4", {32, 16, 0}, 16, 16, MODEL_LIMIT_BLOCKS},
        {"t4", {256, 32, 65536}, 1, 8, MODEL_LIMIT_SHARED},
        {"t4", {256, 32, 16384}, 4, 32, MODEL_LIMIT_THREADS},
        {"rtx4090", {1024, 32, 0}, 1, 32, MODEL_LIMIT_THREADS},
        {"rtx4090", {768, 32, 0}, 2, 48, MODEL_LIMIT_THREADS},
        {"rtx4060-laptop", {32, 16, 0}, 24, 24, MODEL_LIMIT_BLOCKS},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        model_gpu gpu = gpu_called(cases[i].gpu);
        model_occupancy got;
        wb_error err = {0};
        if (!model_occupancy_of(&gpu, &cases[i].block, &got, &err))
            fail_msg("case %zu: %s", i, err.text);
        if (got.blocks != cases[i].blocks || got.warps != cases[i].warps ||
            got.limit != cases[i].limit)
            fail_msg("case %zu: %d blocks, %d warps, limited by %s", i, (int)got.blocks,
                     (int)got.warps, model_limit_name(got.limit));
        assert_float_equal(got.share, (double)got.warps / (double)gpu.max_warps, 1e-12);
    }
}

static void what_a_gpu_refuses(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        model_block block;
        const char *says;
    } cases[] = {
        {"h200", {0, 32, 0}, "no threads"},
        {"h200",
         {1025, 32, 0},
         "NVIDIA H200 can't launch this: 1025 threads a block, where it has 1024 at most"},
        {"h200", {32, 256, 0}, "256 registers a thread, where it has 255 at most"},
        {"h200", {32, 16, 232449}, "232449 bytes of shared memory a block, where it has 232448"},
        {"t4", {32, 16, 65537}, "NVIDIA T4 can't launch this: 65537 bytes of shared memory"},
        {"rtx4090", {32, 16, 101377}, "where it has 101376 at most"},
        {"h200",
         {1024, 65, 0},
         "65 registers a thread in blocks of 1024 threads, where it has 64 at most; "
         "__launch_bounds__(1024)"},
        {"h200", {800, 80, 0}, "where it has 72 at most"},
        {"h200", {UINT64_MAX, 32, 0}, "threads a block"},
        {"h200", {32, UINT64_MAX, 0}, "registers a thread"},
        {"h200", {32, 32, UINT64_MAX}, "bytes of shared memory"},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        model_gpu gpu = gpu_called(cases[i].gpu);
        model_occupancy got;
        wb_error err = {0};
        bool ok = model_occupancy_of(&gpu, &cases[i].block, &got, &err);
        if (ok || !strstr(err.text, cases[i].says))
            fail_msg("case %zu: %s", i, ok ? "accepted" : err.text);
    }
}

#ifdef HAS_CALCULATOR
/* The same launch on the same GPU, as the toolkit's calculator sees it; -1: refused. */
static int calculated(const model_gpu *gpu, const model_block *block, unsigned *limits) {
    cudaOccDeviceProp device = {
        .computeMajor = (int)gpu->capability / 10,
        .computeMinor = (int)gpu->capability % 10,
        .maxThreadsPerBlock = (int)gpu->max_block_threads,
        .maxThreadsPerMultiprocessor = (int)gpu->max_threads,
        .regsPerBlock = (int)gpu->registers,
        .regsPerMultiprocessor = (int)gpu->registers,
        .warpSize = 32,
        .sharedMemPerBlock = 48 * 1024,
        .sharedMemPerMultiprocessor = gpu->shared_bytes,
        .numSms = (int)gpu->multiprocessors,
        .sharedMemPerBlockOptin = gpu->max_block_shared_bytes,
        .reservedSharedMemPerBlock = gpu->shared_reserved_bytes,
    };
    cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = 1024,
        .numRegs = (int)block->registers,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = block->shared_bytes,
        .numBlockBarriers = 1,
    };
    cudaOccDeviceState settings = {.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &settings,
                                                (int)block->threads, block->shared_bytes))
        return -2;
    *limits = result.limitingFactors;
    return result.activeBlocksPerMultiprocessor ? result.activeBlocksPerMultiprocessor : -1;
}

static uint64_t any(unsigned *seed, uint64_t n) {
    return (uint64_t)rand_r(seed) % n;
}

static void as_the_toolkit_calculates(void **state) {
    (void)state;
    static const unsigned bit_of[MODEL_LIMITS] = {OCC_LIMIT_BLOCKS, OCC_LIMIT_WARPS,
                                                  OCC_LIMIT_REGISTERS, OCC_LIMIT_SHARED_MEMORY};
    unsigned seed = 12, refused = 0;
    for (size_t i = 0; i < WB_COUNT(names) * 2000; i++) {
        static model_gpu gpu;
        if (i % 2000 == 0)
            gpu = gpu_called(names[i / 2000]);
        model_block block = {.registers = 1 + any(&seed, any(&seed, 2) ? 255 : 48)};
        block.threads = any(&seed, 3) ? 32 * (1 + any(&seed, 32)) : 1 + any(&seed, 1024);
        if (any(&seed, 3))
            block.shared_bytes =
                any(&seed, any(&seed, 2) ? 30000 : gpu.max_block_shared_bytes + 2000);
        model_occupancy got;
        wb_error err = {0};
        unsigned limits = 0;
        bool ok = model_occupancy_of(&gpu, &block, &got, &err);
        int want = calculated(&gpu, &block, &limits);
        refused += !ok;
        if ((ok ? (int)got.blocks : -1) != want || (ok && !(limits & bit_of[got.limit])))
            fail_msg("%s: blocks of %d threads, %d registers, %d bytes: %d (%s %s), the toolkit "
                     "says %d (%x)",
                     gpu.title, (int)block.threads, (int)block.registers, (int)block.shared_bytes,
                     ok ? (int)got.blocks : -1, ok ? model_limit_name(got.limit) : "", err.text,
                     want, limits);
    }
    assert_in_range(refused, 100, WB_COUNT(names) * 1900); /* both happen */
}
#else
static void as_the_toolkit_calculates(void **state) {
    (void)state;
    skip(); /* a toolkit without the header */
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),
        cmocka_unit_test(what_a_gpu_refuses),
        cmocka_unit_test(as_the_toolkit_calculates),
    };
    return cmocka_run_group_tests_name("occupancy", tests, NULL, NULL);
}
