/* special.c: values of a thread's special registers. */
#include "runtime/softgpu/machine/machine.h"

int64_t sg_special_value(const sg_warp *w, int kind, int lane) {
    const sg_block *b = w->block;
    const sg_launch *l = b->run->launch;
    uint32_t thread = w->index * SG_LANES + (uint32_t)lane;
    uint64_t workspace = (uint64_t)(uintptr_t)b->run->grid_workspace;
    uint32_t index[] = {thread % l->block[0], thread / l->block[0] % l->block[1],
                        thread / l->block[0] / l->block[1]};
    const uint32_t *const triples[] = {index, l->block, b->pos, l->grid};
    if (kind <= SG_NCTAID_Z)
        return triples[kind / 3][kind % 3];
    switch (kind) {
    case SG_LANEID:
        return lane;
    case SG_WARPID:
        return w->index;
    case SG_NWARPID:
        return 64;
    case SG_SMID:
        return 0;
    case SG_NSMID:
        return 132;
    case SG_GRIDID:
        return 1;
    case SG_LANEMASK_EQ:
        return 1u << lane;
    case SG_LANEMASK_LT:
        return (1u << lane) - 1;
    case SG_LANEMASK_LE:
        return (1ull << (lane + 1)) - 1;
    case SG_LANEMASK_GT:
        return (uint32_t) ~((1ull << (lane + 1)) - 1);
    case SG_LANEMASK_GE:
        return (uint32_t) ~((1u << lane) - 1);
    case SG_DYNAMIC_SMEM:
        return b->run->dynamic_shared;
    case SG_TOTAL_SMEM:
        return (b->run->shared_bytes + 127) & ~127u; /* in units of allocation */
    case SG_ALL_SMEM:
        return b->run->shared_bytes + SG_RESERVED_BYTES; /* not rounded, on an H200 */
    case SG_RESERVED_BEGIN:
        return SG_RESERVED_AT;
    case SG_RESERVED_SECOND:
        return SG_RESERVED_AT + SG_RESERVED_BYTES / 2;
    case SG_RESERVED_END:
        return SG_RESERVED_AT + SG_RESERVED_BYTES;
    case SG_ENVREG1:
        return (int64_t)(workspace >> 32);
    case SG_ENVREG2:
        return (int64_t)(workspace & 0xffffffffu);
    case SG_ONE:
        return 1;
    default:
        return 0;
    }
}
