/* figure.h: a kernel's figures from softgpu's report: sectors a load, passes an access, modelled
 * seconds. labs/README.md lists their names. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

/* Returns true if a figure has this name. */
bool figure_known(const char *figure);

/* Computes a figure ("sectors_per_load") over all launches of a kernel. Its name may leave out the
 * parameters ("turn", "stride<2>"). False: not launched, an unknown figure, or a divisor of 0. */
bool figure_of(const json_t *report, const char *kernel, const char *figure, double *value);

/* Returns a sentence if the report does not meet an entry of a step's "counts". NULL: it does.
 * *missed: the entry, or the cause that explains it (borrowed); NULL if there is nothing to count.
 */
char *figure_complaint(const json_t *report, const json_t *entry, const json_t **missed);

/* Returns true if the figure adds up what requests of this kind ("load") move in shared or global
 * memory. The number of requests is not what one of them moves. */
bool figure_counts(const char *figure, const char *kind, bool shared);

/* Returns true if the lanes of a warp, line by line, show what the figure is. */
bool figure_by_lanes(const char *figure);
