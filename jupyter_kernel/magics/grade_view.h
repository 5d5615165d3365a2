/* grade_view.h: the grader's document, as %%grade shows it. */
#ifndef WARPBOOK_KERNEL_GRADE_VIEW_H
#define WARPBOOK_KERNEL_GRADE_VIEW_H

#include <jansson.h>

/* A MIME bundle (text/plain, text/html) of `warpbook grade --json`'s document: whole points with a
 * bar and a colour, each diagnosis once with how many tests it explains, what to try next, and how
 * to get the same inputs again. Never full marks for less than all points. */
json_t *grade_view(const json_t *grade);

#endif
