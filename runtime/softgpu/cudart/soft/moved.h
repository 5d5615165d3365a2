/* moved.h: counts copies and fills by direction, and models their time on a GPU. */
#ifndef SOFTGPU_CUDART_SOFT_MOVED_H
#define SOFTGPU_CUDART_SOFT_MOVED_H

#include <jansson.h>

#include "runtime/softgpu/cudart/work.h"

/* Counts a copy or a fill that has run. */
void soft_moved_copy(const rt_copy *c);
void soft_moved_fill(const rt_fill *f);

/* Returns [{"way":"to the device"|"to the host"|"on the device"|"fill"|"on the host",
 * "pinned":true,"times":3,"bytes":4096}], one for each direction in use; "pinned" for host copies.
 * If a GPU is modelled, "model":{"seconds":..,"low":..,"high":..} is the time of all in
 * sequence. */
json_t *soft_moved_json(void);
void soft_moved_clear(void);

#endif
