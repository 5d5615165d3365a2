/* record.h: the record of a launch for drawing: reads the wish from JSON, and writes the record as
 * JSON. */
#pragma once

#include <jansson.h>

#include "runtime/softgpu/engine.h"
#include "runtime/softgpu/recorded.h"

/* Returns the wish for a launch of that kernel. Returns NULL if there is none, or enough launches
 * were recorded.
 */
const sg_wish *soft_record_wish(const char *symbol);

/* Returns a new reference to the record as JSON (softgpu.h), or NULL for NULL. */
json_t *soft_record_json(const sg_recorded *recorded);

/* Allows new records, after a report with reset. */
void soft_record_clear(void);
