/* map.h: records which thread touched which element of an array (SG_RECORD_MAP). */
#pragma once

#include "runtime/softgpu/machine/machine.h"
#include "runtime/softgpu/recorded.h"

typedef struct sg_mapper sg_mapper; /* of a launch */

/* Finds the array at the launch's start. Returns NULL if there is no memory. */
sg_mapper *sg_mapper_new(const sg_wish *wish, const sg_run *run);
void sg_mapper_free(sg_mapper *m);

/* Records an access of `bytes` bytes at addresses + offset by the lanes of `mask`. */
void sg_map_global(sg_mapper *m, const sg_warp *w, enum sg_access access, const uint64_t *addresses,
                   int64_t offset, uint32_t mask, uint32_t bytes);

/* Returns the record, which the caller frees, or NULL if there is no memory. */
sg_map_kept *sg_mapper_report(sg_mapper *m);
