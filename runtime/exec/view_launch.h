/* view_launch.h: launches with a modelled time, put together where they are alike. */
#ifndef WARPBOOK_EXEC_VIEW_LAUNCH_H
#define WARPBOOK_EXEC_VIEW_LAUNCH_H

#include "runtime/exec/view.h"

enum { VIEW_LAUNCHES = 20 };

/* Of one kernel and launch configuration, those whose times differ by less than a percent. */
typedef struct view_launch {
    const json_t *launch, *model; /* of the first: the report's */
    json_int_t calls;
} view_launch;

/* The report's, VIEW_LAUNCHES of them at most; how many more there are is added to *left_out. */
size_t view_launches(const json_t *report, view_launch *rows, json_int_t *left_out);

void view_longest_first(view_launch *rows, size_t n);
bool view_same_kernel(const view_launch *a, const view_launch *b);
/* Is one of the rows before it of the same kernel? */
bool view_repeats(const view_launch *rows, size_t k);

/* The kernel's name without its parameters, malloc'd. */
char *view_kernel(const json_t *launch);

/* What a line of a model is spent on: the limit that it has most to do with, and the next where
 * that is half of it or more; malloc'd. */
char *view_spent_on(const json_t *line);
/* The text without blanks around it, its tabs as blanks; malloc'd. */
char *view_trimmed(const char *text);

#endif
