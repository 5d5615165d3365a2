/* cache.h: a sectored cache like a GPU's. Lines have 128 bytes in four sectors of 32, which are
 * filled separately. A set evicts its least recently used line. The cache counts sectors and
 * ignores time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SG_LINE_BYTES 128u
#define SG_SECTOR_BYTES 32u
#define SG_CACHE_WAYS 16u

typedef struct sg_cache sg_cache;

/* The effect of an access on the sectors of one line. */
typedef struct sg_cached {
    uint32_t missed;  /* sectors fetched: missing ones and the rest of their groups */
    uint32_t fetched; /* their bits 0..3 */
    bool coming;     /* nothing was missing, but part of the line was fetched since the last mark */
    uint32_t filled; /* sectors of an evicted line read first, since they were partly written */
    uint32_t written; /* sectors of the evicted line that are written back */
} sg_cached;

/* Returns an empty cache of at least one set of SG_CACHE_WAYS lines. `group` sectors (1, 2 or 4)
 * move together to and from the memory below. Returns NULL if there is no memory. */
sg_cache *sg_cache_new(size_t bytes, uint32_t group);
void sg_cache_free(sg_cache *cache);
void sg_cache_empty(sg_cache *cache); /* discards written bytes */

/* Reads the sectors (bits 0..3) of the line (address / SG_LINE_BYTES). */
sg_cached sg_cache_read(sg_cache *cache, uint64_t line, uint32_t sectors);

/* Sectors fetched from now on are in flight until the next mark. */
void sg_cache_mark(sg_cache *cache);

/* Writes bytes of a line: one bit for each byte, 32 for each sector. */
sg_cached sg_cache_write(sg_cache *cache, uint64_t line, const uint32_t bytes[4]);

/* Returns the sectors that were written and are still in the cache. */
uint64_t sg_cache_dirty(const sg_cache *cache);
