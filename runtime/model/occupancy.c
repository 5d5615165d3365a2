/* occupancy.c: see occupancy.h. */
#include "runtime/model/occupancy.h"

#define WARP 32

static uint64_t divide_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit;
}

static uint64_t round_up(uint64_t n, uint64_t unit) {
    return divide_up(n, unit) * unit;
}

const char *model_limit_name(model_limit limit) {
    static const char *const names[MODEL_LIMITS] = {"blocks", "threads", "registers",
                                                    "shared memory"};
    return (unsigned)limit < MODEL_LIMITS ? names[limit] : "nothing";
}

static bool too_much(const model_gpu *gpu, const char *what, uint64_t asked, uint64_t most,
                     wb_error *err) {
    return wb_fail(err, 1, _("%s can't launch this: %llu %s, where it has %llu at most"),
                   gpu->title, (unsigned long long)asked, what, (unsigned long long)most);
}

/* A warp's registers are in its scheduler's part of the file. The hardware refuses a block as if
 * its warps were rounded up to a multiple of the schedulers. */
static bool by_registers(const model_gpu *gpu, const model_block *block, uint64_t warps,
                         model_occupancy *out, wb_error *err) {
    uint64_t each = round_up(block->registers * WARP, gpu->register_unit);
    uint64_t most = gpu->registers / round_up(warps, gpu->schedulers) / gpu->register_unit *
                    gpu->register_unit / WARP;
    out->registers = each * warps;
    out->allowed[MODEL_LIMIT_REGISTERS] = UINT64_MAX;
    if (each == 0)
        return true;
    if (each * round_up(warps, gpu->schedulers) > gpu->registers)
        return wb_fail(
            err, 1,
            _("%s can't launch this: %llu registers a thread in blocks of %llu threads, "
              "where it has %llu at most; __launch_bounds__(%llu) makes the compiler use "
              "fewer"),
            gpu->title, (unsigned long long)block->registers, (unsigned long long)block->threads,
            (unsigned long long)most, (unsigned long long)block->threads);
    out->allowed[MODEL_LIMIT_REGISTERS] =
        gpu->registers / gpu->schedulers / each * gpu->schedulers / warps;
    return true;
}

static void by_shared(const model_gpu *gpu, const model_block *block, model_occupancy *out) {
    out->shared_bytes =
        round_up(block->shared_bytes + gpu->shared_reserved_bytes, gpu->shared_unit_bytes);
    out->allowed[MODEL_LIMIT_SHARED] =
        out->shared_bytes ? gpu->shared_bytes / out->shared_bytes : UINT64_MAX;
}

bool model_occupancy_of(const model_gpu *gpu, const model_block *block, model_occupancy *out,
                        wb_error *err) {
    *out = (model_occupancy){0};
    if (block->threads == 0)
        return wb_fail(err, 1, _("a block of no threads can't be launched"));
    if (block->threads > gpu->max_block_threads)
        return too_much(gpu, "threads a block", block->threads, gpu->max_block_threads, err);
    if (block->registers > gpu->max_thread_registers)
        return too_much(gpu, "registers a thread", block->registers, gpu->max_thread_registers,
                        err);
    if (block->shared_bytes > gpu->max_block_shared_bytes)
        return too_much(gpu, "bytes of shared memory a block", block->shared_bytes,
                        gpu->max_block_shared_bytes, err);
    uint64_t warps = divide_up(block->threads, WARP);
    if (!by_registers(gpu, block, warps, out, err))
        return false;
    by_shared(gpu, block, out);
    uint64_t room =
        gpu->max_threads / WARP < gpu->max_warps ? gpu->max_threads / WARP : gpu->max_warps;
    out->allowed[MODEL_LIMIT_THREADS] = room / warps;
    out->allowed[MODEL_LIMIT_BLOCKS] = gpu->max_blocks;
    out->blocks = UINT64_MAX;
    for (model_limit limit = 0; limit < MODEL_LIMITS; limit++)
        if (out->allowed[limit] < out->blocks) {
            out->blocks = out->allowed[limit];
            out->limit = limit;
        }
    if (out->blocks == 0) /* only with figures that no real GPU has */
        return wb_fail(err, 1, _("%s can't launch this: a single block does not fit into its %s"),
                       gpu->title, model_limit_name(out->limit));
    out->warps = out->blocks * warps;
    out->share = (double)out->warps / (double)gpu->max_warps;
    return true;
}
