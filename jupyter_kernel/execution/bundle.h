/* bundle.h: MIME bundles of what the kernel itself shows. New references; never NULL but when
 * memory runs out. */
#ifndef WARPBOOK_KERNEL_BUNDLE_H
#define WARPBOOK_KERNEL_BUNDLE_H

#include <jansson.h>

#include "runtime/measure/table.h"

/* text/plain alone; what is not UTF-8 is replaced. */
json_t *bundle_text(const char *text);

/* The table as text/plain and text/html, between lines of plain words (either may be ""). */
json_t *bundle_table(const wb_table *table, const char *before, const char *after);

#endif
