/* lesson.h: a lab as a path of small steps: the steps.json of its folder (its keys are told in
 * labs/README.md). Data only, and all of it valid: what a lesson holds can be read without asking
 * twice. */
#ifndef WARPBOOK_KERNEL_LESSON_H
#define WARPBOOK_KERNEL_LESSON_H

#include "runtime/base/base.h"
#include "runtime/json/fields.h"

typedef enum step_kind {
    STEP_PREDICT, /* a number or a word is entered: %predict NAME = VALUE */
    STEP_TRY,     /* code is written, run and checked: %%try NAME */
    STEP_GRADE    /* %%grade LAB earns enough */
} step_kind;

typedef struct lesson {
    char *lab;    /* "transpose" */
    char *folder; /* where steps.json lies, and what it names */
    json_t *root; /* the document; texts that were lists of lines are one text */
    json_t *steps;
} lesson;

/* The same of a text; `file` is for messages. */
lesson *lesson_parse(const char *lab, const char *folder, const char *file, const char *text,
                     size_t len, wb_error *err);
void lesson_free(lesson *l);
/* Puts the texts of a translation in the place of l's own (its form: labs/README.md). False with
 * *err, as lesson_parse has it; what came before the mistake is translated. */
bool lesson_speak(lesson *l, const char *file, const char *text, size_t len, wb_error *err);

enum { LESSON_UNKNOWN = 2 };
/* A lab by its name, or by the path of its folder where that has a slash; NULL with *err, whose
 * code is LESSON_UNKNOWN where there is none of that name. */
lesson *lesson_find(const char *lab, wb_error *err);
/* The names of the installed labs with steps, in order: a JSON array. */
json_t *lesson_labs(void);

size_t lesson_count(const lesson *l);
json_t *lesson_step(const lesson *l, size_t i);           /* borrowed */
json_t *lesson_named(const lesson *l, const char *name);  /* or "5": its place */
size_t lesson_place(const lesson *l, const json_t *step); /* 1 for the first */
step_kind lesson_kind(const json_t *step);
/* "count" of "void count(const int *a, int n)": what a step's answer has to define. */
char *lesson_function(const json_t *step);
/* A file that a step names ("check", "solution"), read; NULL with *err. */
char *lesson_file(const lesson *l, const json_t *step, const char *key, wb_error *err);

#endif
