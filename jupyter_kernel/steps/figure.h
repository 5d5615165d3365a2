/* figure.h: a kernel's figure from softgpu's report: sectors a load, passes an access, modelled
 * seconds. Names are those of labs/README.md. */
#ifndef WARPBOOK_KERNEL_FIGURE_H
#define WARPBOOK_KERNEL_FIGURE_H

#include <jansson.h>

#include "runtime/base/base.h"

/* Is it the name of one? */
bool figure_known(const char *figure);

/* "sectors_per_load" and its like, of all launches of the kernel, by its name without parameters
 * ("turn", "stride<2>"). False: not launched, no such figure, or nothing to divide by. */
bool figure_of(const json_t *report, const char *kernel, const char *figure, double *value);

/* What an entry of a step's "counts" is not met by, a sentence; NULL: it is met. malloc'd. */
char *figure_complaint(const json_t *report, const json_t *entry);

#endif
