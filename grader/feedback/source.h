/* source.h: the source text of a submission, for people and fingerprints. */
#ifndef GRADER_FEEDBACK_SOURCE_H
#define GRADER_FEEDBACK_SOURCE_H

#include "grader/book/handed.h"

/* Returns all CUDA files, each below a line with its name if there are several. From a notebook it
 * takes the cells with %%grade. The text is valid UTF-8 without control characters. The caller
 * frees it. NULL: no source, or out of memory. */
char *gr_source_of(const gr_handed *handed);

#endif
