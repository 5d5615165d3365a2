/* record.h: what is kept of a launch to be drawn: the wish as JSON in, the record as JSON out. */
#ifndef SOFTGPU_CUDART_SOFT_RECORD_H
#define SOFTGPU_CUDART_SOFT_RECORD_H

#include <jansson.h>

#include "runtime/softgpu/engine.h"
#include "runtime/softgpu/recorded.h"

/* What is wished for of a launch of that kernel; NULL: nothing, or enough launches were recorded.
 */
const sg_wish *soft_record_wish(const char *symbol);

/* The record as JSON, as softgpu.h says; NULL for NULL. A new reference. */
json_t *soft_record_json(const sg_recorded *recorded);

/* A report was made and forgotten: launches are recorded again. */
void soft_record_clear(void);

#endif
