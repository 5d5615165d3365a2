/* author.h: what `warpbook lab` does for who writes labs. */
#ifndef GRADER_AUTHOR_H
#define GRADER_AUTHOR_H

#include "grader/grade.h"

/* Makes the folder `path`, whose last part is the lab's name, from the template. False with a
 * sentence, and nothing made, when the name is none or the folder is there. */
bool gr_author_new(const char *path, wb_error *err);

/* Whether there is such a system ("gradescope", "classroom", "nbgrader"). */
bool gr_author_exports(const char *system);
/* Writes the lab as an assignment of it into the folder, which is made. False with a sentence, and
 * nothing made, where it is there already. */
bool gr_author_export(const char *system, const gr_lab *lab, const char *folder, wb_error *err);

/* nbgrader.c: the notebook in source/LAB and nbgrader_config.py; `own`: the lab lies in
 * source/LAB/lab. */
bool gr_author_nbgrader(const gr_lab *lab, bool own, const char *folder, wb_error *err);

typedef struct gr_author_options {
    gr_options grading; /* the seed is the first one's */
    size_t seeds;       /* how many each file is graded by */
    bool json;
} gr_author_options;

/* Grades the starter and the solutions of the lab whose lab.json lies at `path` and writes what
 * came of it to *out. *fine: nothing is to be fixed. False with a sentence when the lab can't be
 * read or the machine failed. */
bool gr_author_check(const char *path, const gr_author_options *options, wb_buf *out, bool *fine,
                     wb_error *err);

#endif
