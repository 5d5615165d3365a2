/* special.c: values of a thread's special registers. */
#include "runtime/softgpu/machine/machine.h"

int64_t sg_special_value(const sg_warp *w, ptx_special kind, int lane) {
    const sg_block *b = w->block;
    const sg_launch *l = b->run->launch;
    uint32_t thread = w->index * SG_LANES + (uint32_t)lane;
    uint64_t workspace = (uint64_t)(uintptr_t)b->run->grid_workspace;
    uint32_t index[] = {thread % l->block[0], thread / l->block[0] % l->block[1],
                        thread / l->block[0] / l->block[1]};
    const uint32_t *const triples[] = {index, l->block, b->pos, l->grid};
    if (kind <= PTX_NCTAID_Z)
        return triples[kind / 3][kind % 3];
    const uint32_t shared = b->run->shared_bytes, up_to = (uint32_t)((2ull << lane) - 1);
    const int64_t values[] = {
        [PTX_LANEID] = lane,
        [PTX_WARPID] = w->index,
        [PTX_NWARPID] = 64,
        [PTX_SMID] = 0,
        [PTX_NSMID] = 132,
        [PTX_GRIDID] = 1,
        [PTX_LANEMASK_EQ] = 1u << lane,
        [PTX_LANEMASK_LT] = (1u << lane) - 1,
        [PTX_LANEMASK_LE] = up_to,
        [PTX_LANEMASK_GT] = (uint32_t)~up_to,
        [PTX_LANEMASK_GE] = (uint32_t) ~((1u << lane) - 1),
        [PTX_DYNAMIC_SMEM] = b->run->dynamic_shared,
        [PTX_TOTAL_SMEM] = (shared + 127) & ~127u,   /* in units of allocation */
        [PTX_ALL_SMEM] = shared + SG_RESERVED_BYTES, /* not rounded, on an H200 */
        [PTX_RESERVED_BEGIN] = SG_RESERVED_AT,
        [PTX_RESERVED_SECOND] = SG_RESERVED_AT + SG_RESERVED_BYTES / 2,
        [PTX_RESERVED_END] = SG_RESERVED_AT + SG_RESERVED_BYTES,
        [PTX_ENVREG1] = (int64_t)(workspace >> 32),
        [PTX_ENVREG2] = (int64_t)(workspace & 0xffffffffu),
        [PTX_ONE] = 1};
    return (size_t)kind < WB_COUNT(values) ? values[kind] : 0;
}
