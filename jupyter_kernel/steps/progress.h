/* progress.h: the steps that a student has passed, in $XDG_DATA_HOME (or ~/.local/share)
 * /warpbook/progress.json. Each change happens under a lock and replaces the file. If a kernel
 * dies, the file has the state before or after the change. Two notebooks keep each other's
 * changes. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

typedef struct step_record {
    bool passed;
    bool shown;   /* the solution was shown before the step was passed */
    bool invited; /* a cell with %hint was put below */
    int tries;    /* wrong answers; a repeated one counts once */
    int hints;    /* hints that were shown */
} step_record;

typedef enum progress_change {
    PROGRESS_WRONG,
    PROGRESS_PASSED,
    PROGRESS_HINT,
    PROGRESS_SHOWN,
    PROGRESS_INVITED,
    PROGRESS_STUDENT, /* of no step: the student's number is drawn, if there is none */
} progress_change;

/* Returns what is known of the step. All zero: nothing, or the file can't be read. */
step_record progress_of(const char *lab, const char *step);

/* answer: the wrong answer (PROGRESS_WRONG), so that a repeated one counts once; else NULL. Returns
 * false with *err if it could not be stored; the notebook goes on. A broken file becomes
 * progress.json.broken. */
bool progress_note(const char *lab, const char *step, progress_change change, const char *answer,
                   wb_error *err);

/* Puts the members of `choices` into an order that is the student's own for this step. It follows
 * from a number that is drawn once and kept in the file, else from the user's number and home.
 * The caller owns the result. */
json_t *progress_shuffled(const char *lab, const char *step, const json_t *choices);
