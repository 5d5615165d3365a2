/* cache.h: a sectored cache as a GPU's: lines of 128 bytes, each of four sectors of 32 that are
 * filled one by one, the least recently used line of a set gives way. Timing is nobody's business
 * here: what is counted is who asks whom for how many sectors. */
#ifndef SOFTGPU_CACHE_H
#define SOFTGPU_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SG_LINE_BYTES 128u
#define SG_SECTOR_BYTES 32u
#define SG_CACHE_WAYS 16u

typedef struct sg_cache sg_cache;

/* What became of the sectors of one line. */
typedef struct sg_cached {
    uint32_t missed;  /* sectors fetched, now there: those read that were not, and their group's */
    uint32_t fetched; /* which, bits 0..3 */
    bool coming;      /* none was missed, but some of the line were since the last mark */
    uint32_t filled;  /* of a line that gave way: written in part, so they are read before */
    uint32_t written; /* of that line: what goes down */
} sg_cached;

/* Empty. At least one set of SG_CACHE_WAYS lines. `group`: the sectors that go to and come from the
 * memory below together, 1, 2 or 4. NULL: no memory. */
sg_cache *sg_cache_new(size_t bytes, uint32_t group);
void sg_cache_free(sg_cache *cache);
void sg_cache_empty(sg_cache *cache); /* what was written in it is forgotten */

/* Reads the sectors (bits 0..3) of the line (address / SG_LINE_BYTES). */
sg_cached sg_cache_read(sg_cache *cache, uint64_t line, uint32_t sectors);

/* What is fetched from now on is under way until the next mark. */
void sg_cache_mark(sg_cache *cache);

/* Writes bytes of a line: a bit for each of its bytes, 32 a sector. */
sg_cached sg_cache_write(sg_cache *cache, uint64_t line, const uint32_t bytes[4]);

/* Sectors that have been written and are still here. */
uint64_t sg_cache_dirty(const sg_cache *cache);

#endif
