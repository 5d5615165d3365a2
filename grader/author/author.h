/* author.h: `warpbook lab`, for authors of labs. */
#pragma once

#include "grader/grade.h"

/* Makes the folder `path` from the template. Its last part is the lab's name. Returns false with
 * *err, and changes nothing, if the name is invalid or the folder exists. */
bool gr_author_new(const char *path, wb_error *err);

/* Copies a template, with a lab's name, which is safe in a shell, for the placeholder. (export.c)
 */
bool gr_author_fill(const char *from, const char *to, const char *placeholder, const char *name,
                    mode_t mode, wb_error *err);

/* Returns true if `system` is one of "gradescope", "classroom", "nbgrader". */
bool gr_author_exports(const char *system);
/* Writes the lab as an assignment of the system into a new folder. Returns false with *err, and
 * changes nothing, if the folder exists. */
bool gr_author_export(const char *system, const gr_lab *lab, const char *folder, wb_error *err);

/* nbgrader.c: writes nbgrader_config.py and the notebook. `own`: the lab will be in
 * source/LAB/lab. */
bool gr_author_nbgrader(const gr_lab *lab, bool own, const char *folder, wb_error *err);

typedef struct gr_author_options {
    gr_options grading; /* with the first seed */
    size_t seeds;       /* seeds to grade each file with */
    size_t mutants;     /* of the best solution, to grade by the tests alone */
    bool json;
} gr_author_options;

/* Grades the starter, the solutions, and mutants of the last one. Writes the findings to *out.
 * *fine: there is nothing to fix. Returns false with *err if the machine failed. */
bool gr_author_check(const gr_lab *lab, const gr_author_options *options, wb_buf *out, bool *fine,
                     wb_error *err);
