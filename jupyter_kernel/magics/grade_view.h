/* grade_view.h: shows the grader's document for %%grade. */
#pragma once

#include <jansson.h>

/* Returns a MIME bundle (text/plain, text/html) of the document of `warpbook grade --json`. It
 * shows whole points with a bar and a colour, each diagnosis once, the next step, and how to get
 * the same inputs again. It shows full marks only for full points. */
json_t *grade_view(const json_t *grade);

/* The cell's execute_result: its text/plain is the points alone, which nbgrader reads. A notebook
 * shows its text/html, which is how to get the same inputs again. */
json_t *grade_result(const json_t *grade);
