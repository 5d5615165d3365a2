/* student.h: a student's feedback page, as HTML and as Markdown. */
#pragma once

#include "grader/feedback/view.h"

/* sources[v]: the graded text in view v, or NULL. Labs without any content are left out. */
void gr_student_html(const gr_view *views, size_t n, size_t student, const char *const *sources,
                     wb_buf *out);
void gr_student_markdown(const gr_view *views, size_t n, size_t student, const char *const *sources,
                         wb_buf *out);
/* Returns true if the student's page would have content. */
bool gr_student_has(const gr_view *views, size_t n, size_t student);
