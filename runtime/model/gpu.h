/* gpu.h: a GPU as data, from runtime/model/gpus/NAME.json or a file of the user's. */
#pragma once

#include "runtime/base/base.h"

/* Each figure once: WHOLE(field, unit, description) or REAL(...). The field's name is also the key
 * in the file, which must state the same unit. "lanes": threads whose instruction of that kind one
 * multiprocessor starts per clock. "clocks": from an instruction's issue to that of one that needs
 * its result, at clock_hz. "share": a part of 1. */
#define MODEL_GPU_FIGURES(WHOLE, REAL)                                                             \
    WHOLE(capability, "10 * major + minor", "the compute capability")                              \
    WHOLE(multiprocessors, "multiprocessors", "how many there are")                                \
    REAL(clock_hz, "Hz", "the multiprocessors' clock under load")                                  \
    WHOLE(memory_bytes, "bytes", "the device memory")                                              \
    REAL(memory_clock_hz, "Hz", "the memory's clock; two bits a wire in each")                     \
    WHOLE(memory_bus_bits, "bits", "wires to the memory")                                          \
    /* capacity of a multiprocessor */                                                             \
    WHOLE(schedulers, "schedulers", "warp schedulers of a multiprocessor")                         \
    WHOLE(max_warps, "warps", "resident on a multiprocessor at most")                              \
    WHOLE(max_blocks, "blocks", "resident on a multiprocessor at most")                            \
    WHOLE(max_threads, "threads", "resident on a multiprocessor at most")                          \
    WHOLE(max_block_threads, "threads", "of a block at most")                                      \
    WHOLE(registers, "registers", "of a multiprocessor, 32 bits each")                             \
    WHOLE(register_unit, "registers", "a warp's are rounded up to a multiple of this")             \
    WHOLE(max_thread_registers, "registers", "of a thread at most")                                \
    WHOLE(shared_bytes, "bytes", "shared memory of a multiprocessor")                              \
    WHOLE(max_block_shared_bytes, "bytes", "shared memory of a block at most, opted in")           \
    WHOLE(shared_reserved_bytes, "bytes", "shared memory that the system takes of each block")     \
    WHOLE(shared_unit_bytes, "bytes", "a block's shared memory is rounded up to a multiple")       \
    WHOLE(l1_bytes, "bytes", "what L1 and shared memory divide among them")                        \
    /* instructions: see "lanes" */                                                                \
    REAL(fp32_lanes, "lanes", "add, multiply, fma of float")                                       \
    REAL(half2_lanes, "lanes", "add, multiply, fma of two halves a thread")                        \
    REAL(integer_lanes, "lanes", "add, logic, shift, compare")                                     \
    REAL(multiply_lanes, "lanes", "integer multiply and multiply-add")                             \
    REAL(special_lanes, "lanes", "reciprocal, root, sine, exponential, logarithm")                 \
    REAL(conversion_lanes, "lanes", "between integers and floats")                                 \
    REAL(fp64_lanes, "lanes", "add, multiply, fma of double")                                      \
    REAL(load_store_lanes, "lanes", "loads, stores and atomics, of global and shared memory")      \
    REAL(shuffle_lanes, "lanes", "warp shuffles")                                                  \
    /* tensor cores, dense, sums in fp32 or as wide; 0: none */                                    \
    REAL(tensor_fp16_flops, "operations a clock", "of a multiprocessor: half, bfloat16")           \
    REAL(tensor_tf32_flops, "operations a clock", "of a multiprocessor: TF32")                     \
    REAL(tensor_fp64_flops, "operations a clock", "of a multiprocessor: double")                   \
    REAL(tensor_int8_flops, "operations a clock", "of a multiprocessor: int8")                     \
    REAL(tensor_fp8_flops, "operations a clock", "of a multiprocessor: 8-bit floats")              \
    REAL(mma_sync_share, "share", "of the tensor rates that mma.sync reaches")                     \
    /* caches and memory */                                                                        \
    REAL(l1_tags, "lines a clock", "128-byte lines that L1 looks up, a multiprocessor")            \
    REAL(l1_wavefronts, "wavefronts a clock", "of L1's data, banked as shared memory's")           \
    REAL(shared_wavefronts, "wavefronts a clock", "shared memory's, a multiprocessor")             \
    REAL(l1_fill_bytes, "bytes a clock", "from L2 to a multiprocessor")                            \
    WHOLE(l2_bytes, "bytes", "the L2 cache")                                                       \
    WHOLE(l2_partitions, "partitions", "of L2; each may keep a copy of what the other holds")      \
    REAL(l2_bytes_per_s, "bytes/s", "read from L2 by all multiprocessors")                         \
    REAL(l2_write_sectors_per_s, "sectors/s", "32-byte sectors written to L2, each by itself")     \
    REAL(l2_atomic_sectors_per_s, "sectors/s", "of atomics, far from each other")                  \
    REAL(l2_atomic_words_per_s, "words/s", "of atomics, neighbours")                               \
    REAL(l2_answer_share, "share", "of those rates where old values go back")                      \
    REAL(dram_bytes_per_s, "bytes/s", "the memory's, by the data sheet")                           \
    REAL(dram_copy_share, "share", "of dram_bytes_per_s that a large copy reaches")                \
    /* latencies: see "clocks" */                                                                  \
    REAL(arithmetic_clocks, "clocks", "float and integer instructions")                            \
    REAL(special_clocks, "clocks", "special functions, and conversions")                           \
    REAL(fp64_clocks, "clocks", "double instructions")                                             \
    REAL(shuffle_clocks, "clocks", "warp shuffles")                                                \
    REAL(shared_clocks, "clocks", "a load from shared memory")                                     \
    REAL(shared_atomic_clocks, "clocks", "an atomic on shared memory whose result is used")        \
    REAL(constant_clocks, "clocks", "each more word of constant memory that a warp wants")         \
    REAL(l1_clocks, "clocks", "a load that L1 holds")                                              \
    REAL(l2_clocks, "clocks", "a load that L2 holds, L1's look-up included")                       \
    REAL(dram_clocks, "clocks", "a load from memory, both look-ups included")                      \
    REAL(atomic_clocks, "clocks", "an atomic at L2 whose result is used")                          \
    REAL(barrier_clocks, "clocks", "__syncthreads() of a block without warps")                     \
    REAL(fence_clocks, "clocks", "__threadfence() behind a store or a load")                       \
    REAL(fresh_clocks, "clocks", "from a store to the end of another block's load that finds it")  \
    /* seconds */                                                                                  \
    REAL(atomic_queue_s, "seconds", "that an atomic of floats waits behind another")               \
    REAL(atomic_int_queue_s, "seconds", "the same of integers")                                    \
    REAL(atomic_pass_s, "seconds", "that atomics on a sector, each at its word, keep L2's queue")  \
    REAL(block_start_s, "seconds", "from the start of one block to that of the next")              \
    REAL(launch_s, "seconds", "an empty kernel, as events see it")                                 \
    REAL(host_bytes_per_s, "bytes/s", "copied between pinned host memory and the device")          \
    REAL(host_copy_s, "seconds", "that a copy takes beside its bytes")

#define MODEL_GPU_WHOLE(field, unit, about) uint64_t field;
#define MODEL_GPU_REAL(field, unit, about) double field;

typedef struct model_gpu {
    char name[32]; /* "h200" */
    char title[64];
    char device_name[256]; /* from cudaGetDeviceProperties */
    bool measured;         /* by us; false: from published figures */
    MODEL_GPU_FIGURES(MODEL_GPU_WHOLE, MODEL_GPU_REAL)
} model_gpu;

#undef MODEL_GPU_WHOLE
#undef MODEL_GPU_REAL

/* Reads the GPU of that name, in any case (share/warpbook/gpus/NAME.json). A text with a '/' or
 * with ".json" at its end is a file. Returns false and sets err on failure. */
bool model_gpu_load(const char *name_or_path, model_gpu *out, wb_error *err);

/* Returns the path of that file for other processes, whose share folder may differ. A given path
 * need not exist. Returns NULL and sets err on failure. The caller frees the result. */
char *model_gpu_file(const char *name_or_path, wb_error *err);

/* Does the same with a file's text. Errors call the file `file`. */
bool model_gpu_parse(const char *file, const char *text, size_t len, model_gpu *out, wb_error *err);

/* Returns the names of the installed GPUs in order, joined by `between`: "a100, h100, h200".
 * Returns "" if there are none, or NULL without memory. The caller frees the result. */
char *model_gpu_names(const char *between);
