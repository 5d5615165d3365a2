/* class.h: each student's standing in each lab: the submission that counts, what it earned, and the
 * points after the rules and the teacher's decisions. Computed from the book on each call, so a
 * changed rule has effect at once. */
#pragma once

#include "grader/book/book.h"
#include "grader/book/rules.h"

typedef struct gr_student {
    char *id, *name, *email, *section;
    bool listed;
} gr_student;

typedef struct gr_book_lab {
    char *name, *title, *of;
    double max_score;
    gr_rules rules;
} gr_book_lab;

/* A student's standing in a lab. */
typedef struct gr_standing {
    size_t n_submissions;
    int64_t submission;  /* the one that counts; 0: none */
    int64_t at;          /* when it was handed in */
    char *path, *report; /* the report as JSON; NULL: not graded yet */
    char *content;       /* handed.h; NULL: none */
    char *before;        /* the report of an earlier grading of it, or NULL */
    char *seed, *device, *version;
    bool stale;         /* graded for an earlier version of the lab */
    int64_t late, free; /* days late, and how many of them are free */
    int64_t extension;  /* in days, given by the teacher */
    double earned;      /* before penalties */
    double points;      /* after penalties and decisions */
    bool overridden;    /* the teacher set the points */
    char *comment;      /* the teacher's, or NULL */
} gr_standing;

typedef struct gr_class {
    gr_student *students; /* by id; unlisted ones only if they have submissions or marks */
    size_t n_students;
    gr_book_lab *labs; /* by due time, then name */
    size_t n_labs;
    gr_standing *standings; /* student s in lab l: [s * n_labs + l] */
    int64_t free_days;      /* of each student, for all labs together */
    int64_t ranks;          /* students see their rank: 1 or 0 */
} gr_class;

/* NULL with *err. The caller frees it with gr_class_free. */
gr_class *gr_class_read(gr_book *book, wb_error *err);
void gr_class_free(gr_class *class);

static inline const gr_standing *gr_class_at(const gr_class *class, size_t student, size_t lab) {
    return &class->standings[student * class->n_labs + lab];
}
/* Return the index of a lab or student by name, or -1 with *err, which suggests a similar name. */
long gr_class_lab(const gr_class *class, const char *name, wb_error *err);
long gr_class_student(const gr_class *class, const char *id, wb_error *err);
