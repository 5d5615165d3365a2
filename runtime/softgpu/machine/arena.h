/* arena.h: addresses for device memory, far apart.
 *
 * malloc and mmap put arrays side by side. A write past one array would then land in the next,
 * undetected. So each allocation gets its own piece of address space. The room behind it is at
 * least as long as the array and at least 64 MiB, which covers its index errors. A negative index
 * lands in the room behind the array below. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns `bytes` (rounded up to whole pages) of zeroed memory. Returns NULL without memory, beyond
 * 8192 live allocations, or if the address space is full. Thread-safe. */
void *sg_arena_take(size_t bytes);
/* Frees what sg_arena_take(bytes) returned. Its addresses are reused last. */
void sg_arena_give(void *base, size_t bytes);
/* Returns true if the address is in the arena, taken or not. */
bool sg_arena_holds(const void *address);
