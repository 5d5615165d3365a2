/* mistakes.h: the most common mistakes of a class. */
#pragma once

#include "grader/feedback/view.h"

typedef struct gr_mistake {
    const char *test;      /* borrowed; "": the whole submission */
    const json_t *finding; /* one student's, borrowed */
    size_t *students, n;   /* the students who made it */
} gr_mistake;

typedef struct gr_mistakes {
    gr_mistake *list; /* the most common first */
    size_t n;
} gr_mistakes;

/* Returns false when memory runs out. The caller frees *mistakes in both cases. */
bool gr_mistakes_find(const gr_view *view, gr_mistakes *mistakes);
void gr_mistakes_free(gr_mistakes *mistakes);
