/* source.h: what of a submission is code, as people and fingerprints read it. */
#ifndef GRADER_FEEDBACK_SOURCE_H
#define GRADER_FEEDBACK_SOURCE_H

#include "grader/book/handed.h"

/* Its CUDA files one after the other, each below a line with its name where there are several; of a
 * notebook the cells that begin with %%grade. Valid UTF-8 without control characters; malloc'd,
 * NULL when there is none or memory runs out. */
char *gr_source_of(const gr_handed *handed);

#endif
