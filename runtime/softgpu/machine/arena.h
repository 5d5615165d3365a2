/* arena.h: addresses for device memory, far apart.
 *
 * A kernel that runs past the end of an array is caught because what lies there is nobody's. Were
 * arrays neighbours, as malloc and mmap make them, it would be somebody's: a write would land in
 * the next array unseen. So each allocation has a stretch of address space of its own, with at
 * least as much room behind it as it is long (64 MiB at least), which is what an index error of
 * that array reaches. A negative index lands in the room behind the neighbour below. */
#ifndef WARPBOOK_SOFTGPU_ARENA_H
#define WARPBOOK_SOFTGPU_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* `bytes` (rounded up to whole pages) of zeros, readable and writable; NULL when there is no room:
 * more than 8192 live allocations, more than the address space allows, or no memory. Any thread. */
void *sg_arena_take(size_t bytes);
/* Gives back what sg_arena_take(bytes) returned. Its addresses are used again last of all. */
void sg_arena_give(void *base, size_t bytes);
/* Whether address lies in the arena, taken or not. */
bool sg_arena_holds(const void *address);

#endif
