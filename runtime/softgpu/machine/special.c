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
    switch (kind) {
    case PTX_LANEID:
        return lane;
    case PTX_WARPID:
        return w->index;
    case PTX_NWARPID:
        return 64;
    case PTX_SMID:
        return 0;
    case PTX_NSMID:
        return 132;
    case PTX_GRIDID:
        return 1;
    case PTX_LANEMASK_EQ:
        return 1u << lane;
    case PTX_LANEMASK_LT:
        return (1u << lane) - 1;
    case PTX_LANEMASK_LE:
        return (1ull << (lane + 1)) - 1;
    case PTX_LANEMASK_GT:
        return (uint32_t) ~((1ull << (lane + 1)) - 1);
    case PTX_LANEMASK_GE:
        return (uint32_t) ~((1u << lane) - 1);
    case PTX_DYNAMIC_SMEM:
        return b->run->dynamic_shared;
    case PTX_TOTAL_SMEM:
        return (b->run->shared_bytes + 127) & ~127u; /* in units of allocation */
    case PTX_ALL_SMEM:
        return b->run->shared_bytes + SG_RESERVED_BYTES; /* not rounded, on an H200 */
    case PTX_RESERVED_BEGIN:
        return SG_RESERVED_AT;
    case PTX_RESERVED_SECOND:
        return SG_RESERVED_AT + SG_RESERVED_BYTES / 2;
    case PTX_RESERVED_END:
        return SG_RESERVED_AT + SG_RESERVED_BYTES;
    case PTX_ENVREG1:
        return (int64_t)(workspace >> 32);
    case PTX_ENVREG2:
        return (int64_t)(workspace & 0xffffffffu);
    case PTX_ONE:
        return 1;
    default:
        return 0;
    }
}
