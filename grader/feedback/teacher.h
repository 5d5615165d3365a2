/* teacher.h: a lab's page for the teacher: distribution, tests, common mistakes, similar
 * submissions, all students. */
#pragma once

#include "grader/feedback/similar.h"
#include "grader/feedback/view.h"

/* sources: each student's submission, or NULL. similar: pairs of them. Links lead to
 * students/ID.html. Returns false when memory runs out. */
bool gr_teacher_html(const gr_view *view, const char *const *sources, const gr_similar *similar,
                     wb_buf *out);
