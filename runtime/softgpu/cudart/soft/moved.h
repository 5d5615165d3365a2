/* moved.h: what copies and fills have moved, by their way, and how long a GPU takes for that. */
#ifndef SOFTGPU_CUDART_SOFT_MOVED_H
#define SOFTGPU_CUDART_SOFT_MOVED_H

#include <jansson.h>

#include "runtime/softgpu/cudart/work.h"

/* Counts a copy or a fill that has run. */
void soft_moved_copy(const rt_copy *c);
void soft_moved_fill(const rt_fill *f);

/* [{"way":"to the device"|"to the host"|"on the device"|"fill"|"on the
 * host","pinned":true,"times":3,"bytes":4096}], each way that was taken; "pinned" of those to and
 * from the host. Where a GPU is asked about, "model": {"seconds":.., "low":..,"high":..} of all of
 * that way together, one after another. */
json_t *soft_moved_json(void);
void soft_moved_clear(void);

#endif
