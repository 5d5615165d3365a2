/* progress.h: which steps a student has passed, in $XDG_DATA_HOME (or ~/.local/share)
 * /warpbook/progress.json. Each change is read, made and written under a lock, to a new file that
 * takes the old one's place: a kernel that dies leaves the state before or after, and two
 * notebooks do not undo each other. */
#ifndef WARPBOOK_KERNEL_PROGRESS_H
#define WARPBOOK_KERNEL_PROGRESS_H

#include <jansson.h>

#include "runtime/base/base.h"

typedef struct step_record {
    bool passed;
    bool shown; /* the solution, before the step was passed */
    int tries;  /* wrong answers, each once while it is repeated */
    int hints;  /* seen */
} step_record;

typedef enum progress_change {
    PROGRESS_WRONG,
    PROGRESS_PASSED,
    PROGRESS_HINT,
    PROGRESS_SHOWN,
} progress_change;

/* What is known of the step; zeros where nothing is, or nothing can be read. */
step_record progress_of(const char *lab, const char *step);

/* answer: what was tried (PROGRESS_WRONG), so that the same again counts once; else NULL. False
 * with *err where it could not be kept: the notebook goes on. A file that can't be read is put
 * aside as progress.json.broken. */
bool progress_note(const char *lab, const char *step, progress_change change, const char *answer,
                   wb_error *err);

#endif
