/* lesson.h: a lab as a path of small steps: the steps.json in its folder (labs/README.md lists the
 * keys). A lesson is checked when it is read, so its users need no checks. */
#pragma once

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/json/json.h"

typedef enum step_kind {
    STEP_PREDICT, /* the student enters a number or a word: %predict NAME = VALUE */
    STEP_TRY,     /* the student writes code, which is run and checked: %%try NAME */
    STEP_GRADE    /* %%grade LAB must earn enough */
} step_kind;

typedef struct lesson {
    char *lab;    /* "transpose" */
    char *folder; /* holds steps.json and the files that it names */
    json_t *root; /* the document, with lists of lines joined into texts */
    json_t *steps;
} lesson;

/* Parses the text of a steps.json. `file` is for error messages. NULL with *err if it has a
 * mistake. The caller frees the lesson. */
lesson *lesson_parse(const char *lab, const char *folder, const char *file, const char *text,
                     size_t len, wb_error *err);
void lesson_free(lesson *l);
/* A lesson that is freed where its block ends. */
#define SCOPED_LESSON __attribute__((cleanup(lesson_scoped_free)))
static inline void lesson_scoped_free(lesson **l) {
    lesson_free(*l);
}
/* Replaces l's texts by a translation (labs/README.md has its form). Returns false with *err for
 * the first mistake; the texts before it are then translated. */
bool lesson_speak(lesson *l, const char *file, const char *text, size_t len, wb_error *err);

/* Takes only what answers in that language may hold: units, and words for choices. */
void lesson_hear(lesson *l, const json_t *translation);

enum { LESSON_UNKNOWN = 2 };
/* Finds a lab by its name, or by the path of its folder if that contains a slash. NULL with *err,
 * whose code is LESSON_UNKNOWN if no lab has that name. */
lesson *lesson_find(const char *lab, wb_error *err);
/* Returns the names of the installed labs with steps, in the order of the course: a JSON array. */
json_t *lesson_labs(void);

size_t lesson_count(const lesson *l);
json_t *lesson_step(const lesson *l, size_t i);           /* borrowed */
json_t *lesson_named(const lesson *l, const char *name);  /* by name, or by its number: "5" */
size_t lesson_place(const lesson *l, const json_t *step); /* 1 for the first */
step_kind lesson_kind(const json_t *step);
/* Returns the name that a step's answer must define: "count" of "void count(const int *a)". */
char *lesson_function(const json_t *step);
/* Reads a file that a step names ("check", "solution"). NULL with *err. */
char *lesson_file(const lesson *l, const json_t *step, const char *key, wb_error *err);
