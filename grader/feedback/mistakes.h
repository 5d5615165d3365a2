/* mistakes.h: what goes wrong most in a class. */
#ifndef GRADER_FEEDBACK_MISTAKES_H
#define GRADER_FEEDBACK_MISTAKES_H

#include "grader/feedback/view.h"

typedef struct gr_mistake {
    const char *test;      /* borrowed; "": of the whole submission */
    const json_t *finding; /* one student's, borrowed */
    size_t *students, n;   /* who made it */
} gr_mistake;

typedef struct gr_mistakes {
    gr_mistake *list; /* the commonest first */
    size_t n;
} gr_mistakes;

/* False when memory runs out; to be freed either way. */
bool gr_mistakes_find(const gr_view *view, gr_mistakes *mistakes);
void gr_mistakes_free(gr_mistakes *mistakes);

#endif
