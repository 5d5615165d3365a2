/* class.h: where everybody stands: of each student and lab the submission that counts, what it
 * earned, and what is left of it by the rules and the teacher's decisions. Worked out from the book
 * each time it is asked for, so that a rule that is changed changes all that hangs on it. */
#ifndef GRADER_BOOK_CLASS_H
#define GRADER_BOOK_CLASS_H

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
    int64_t submission;  /* the one that counts; 0: none was handed in */
    int64_t at;          /* when that was */
    char *path, *report; /* the report as JSON; NULL: not graded yet */
    char *content;       /* handed.h; NULL: none */
    char *seed, *device, *version;
    bool stale;         /* graded for the lab as it was before */
    int64_t late, free; /* days late, and how many of them cost nothing */
    int64_t extension;  /* days, by the teacher */
    double earned;      /* before penalties */
    double points;      /* what counts in the end */
    bool overridden;    /* points are the teacher's */
    char *comment;      /* the teacher's, or NULL */
} gr_standing;

typedef struct gr_class {
    gr_student *students; /* in the order of their ids; who is not listed only if there is something
                             of theirs */
    size_t n_students;
    gr_book_lab *labs; /* in the order of due times, then names */
    size_t n_labs;
    gr_standing *standings; /* of student s in lab l: [s * n_labs + l] */
    int64_t free_days;      /* each student has, for all labs together */
} gr_class;

/* NULL with *err. The caller frees. */
gr_class *gr_class_read(gr_book *book, wb_error *err);
void gr_class_free(gr_class *class);

static inline const gr_standing *gr_class_at(const gr_class *class, size_t student, size_t lab) {
    return &class->standings[student * class->n_labs + lab];
}
/* The index of a lab or student by name; -1 with *err, which names the nearest. */
long gr_class_lab(const gr_class *class, const char *name, wb_error *err);
long gr_class_student(const gr_class *class, const char *id, wb_error *err);

#endif
