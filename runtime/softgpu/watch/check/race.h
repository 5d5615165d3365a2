/* race.h: data races in shared and global memory (SG_RACECHECK). race.c remembers who touched what
 * and finds two accesses that nothing puts in order, race_report.c says so. README.md tells what
 * counts as order, what is not seen, and what it costs.
 *
 * A checked launch runs on one host thread, so nothing here is locked and a report is the same each
 * time. */
#ifndef SOFTGPU_RACE_H
#define SOFTGPU_RACE_H

#include "runtime/softgpu/machine/machine.h"

/* A launch's: intervals of its blocks and the shadow of the global memory they touch. */
typedef struct sg_races sg_races;
/* The shadow of a block's shared memory. */
typedef struct sg_shadow sg_shadow;

/* How an op touches memory, in sg_op.mode of ld and st. */
enum {
    SG_RACE_STRONG = 1, /* volatile, relaxed, acquire, release: in order with others of its kind */
    SG_RACE_VALUES = 2, /* a store of registers: d, or the sg_vector in aux */
};
/* What an op that puts memory in order does, in its mode. */
enum { SG_RACE_RELEASE = 1, SG_RACE_ACQUIRE = 2, SG_RACE_BLOCK = 4 /* for the own block only */ };

/* NULL when there is no memory; then a launch goes on without. Both are told once on stderr. */
/* most: accesses of lanes that are looked at, those after them are not; 0: all. */
sg_races *sg_races_new(uint64_t most);
void sg_races_free(sg_races *races);
sg_shadow *sg_shadow_new(sg_races *races, uint32_t shared_bytes); /* owned by a block */
void sg_shadow_free(sg_shadow *shadow);
void sg_race_block_starts(sg_block *b); /* forgets what the block before it did */

/* The lanes of `mask` are about to access `bytes` bytes at addresses[lane] + offset; a fault when
 * that is in no order with an earlier access. Addresses that cannot be accessed are passed over:
 * the access itself reports those. */
void sg_race_global(sg_warp *w, const sg_op *ip, const uint64_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access);
void sg_race_shared(sg_warp *w, const sg_op *ip, const uint32_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access);
/* The same for one lane; space is PTX_SPACE_SHARED or PTX_SPACE_GLOBAL. */
void sg_race_lane(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                  uint32_t bytes, enum sg_access access);

/* A handler for op "builtin": the warp has released or acquired, as ip->mode says. */
extern void (*const sg_race_sync)(sg_warp *w, const sg_op *ip, char *r);
void sg_race_synchronise(sg_warp *w, unsigned how);

/* The PTX instruction of an earlier access, or NULL. */
const ptx_inst *sg_race_instruction(const sg_warp *w, uint32_t ordinal);

/* ---- what race.c tells race_report.c -------------------------------------------------------- */

typedef struct sg_race {
    ptx_space space; /* PTX_SPACE_SHARED or PTX_SPACE_GLOBAL */
    uint64_t address;
    bool writes, wrote;           /* this access, the earlier one */
    bool is_strong, was_strong;   /* ... made by an atomic or volatile instruction? */
    bool same_block, in_lockstep; /* in_lockstep: lanes of one warp, the same instruction */
    bool unreleased;              /* this thread has looked, but the other lacks its fence */
    uint64_t block;               /* of the earlier access */
    uint32_t thread;              /* ... in its block */
    uint32_t ordinal;             /* ... its op: sg_func.ordinal and on */
} sg_race;

_Noreturn void sg_race_report(sg_warp *w, const sg_op *ip, int lane, const sg_race *race);

#endif
