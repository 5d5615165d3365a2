/* race.h: data races in shared and global memory (SG_RACECHECK). race.c records accesses and finds
 * two that nothing orders. race_report.c reports them. README.md defines order, limits and cost.
 *
 * A checked launch runs on one host thread. So it needs no locks, and reports the same race each
 * time. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

/* The intervals of a launch's blocks, and the shadow of the global memory that they touch. */
typedef struct sg_races sg_races;
/* The shadow of a block's shared memory. */
typedef struct sg_shadow sg_shadow;

/* Bits of sg_op.mode for ld and st. */
enum {
    SG_RACE_STRONG = 1, /* volatile, relaxed, acquire or release; ordered with each other */
    SG_RACE_VALUES = 2, /* a store of registers: d, or the sg_vector in aux */
};
/* Bits of sg_op.mode for ops that order memory. */
enum { SG_RACE_RELEASE = 1, SG_RACE_ACQUIRE = 2, SG_RACE_BLOCK = 4 /* own block only */ };

/* Returns NULL if there is no memory. The launch then runs unchecked. Both functions report missing
 * memory once on stderr. */
/* Checks the first `most` accesses of lanes only; 0: all. */
sg_races *sg_races_new(uint64_t most);
void sg_races_free(sg_races *races);
sg_shadow *sg_shadow_new(sg_races *races, uint32_t shared_bytes); /* the block owns it */
void sg_shadow_free(sg_shadow *shadow);
void sg_race_block_starts(sg_block *b); /* forgets the previous block */

/* Checks an access of `bytes` bytes at addresses[lane] + offset by the lanes of `mask`. Raises a
 * fault if nothing orders it after an earlier one. Skips inaccessible addresses, which the access
 * itself reports. */
void sg_race_global(sg_warp *w, const sg_op *ip, const uint64_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access);
void sg_race_shared(sg_warp *w, const sg_op *ip, const uint32_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access);
/* Does the same for one lane. `space` is PTX_SPACE_SHARED or PTX_SPACE_GLOBAL. */
void sg_race_lane(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                  uint32_t bytes, enum sg_access access);

/* A handler for op "builtin". The warp has released or acquired, as ip->mode says. */
extern void (*const sg_race_sync)(sg_warp *w, const sg_op *ip, char *r);
void sg_race_synchronise(sg_warp *w, unsigned how);

/* Returns the PTX instruction of an earlier access, or NULL. */
const ptx_inst *sg_race_instruction(const sg_warp *w, uint32_t ordinal);

/* ---- from race.c to race_report.c ------------------------------------------------------------ */

typedef struct sg_race {
    ptx_space space; /* PTX_SPACE_SHARED or PTX_SPACE_GLOBAL */
    uint64_t address;
    bool writes, wrote;           /* this access; the earlier one */
    bool is_strong, was_strong;   /* made by an atomic or volatile instruction */
    bool same_block, in_lockstep; /* in_lockstep: lanes of one warp in one instruction */
    bool unreleased;              /* this thread acquired, but the other one did not release */
    uint64_t block;               /* of the earlier access */
    uint32_t thread;              /* of the earlier access, in its block */
    uint32_t ordinal;             /* of the earlier access; sg_func.ordinal and on */
} sg_race;

_Noreturn void sg_race_report(sg_warp *w, const sg_op *ip, int lane, const sg_race *race);
