/* known.h: what a lab's reference gave, kept while a batch goes on: submissions that are graded by
 * one seed have the same inputs, and what is right for them is asked for once. Filled from the
 * reference's own sandbox, before which a submission's kernels have ended; no process that runs
 * code of a submission sees the folder. Thread-safe. */
#ifndef GRADER_STAGES_KNOWN_H
#define GRADER_STAGES_KNOWN_H

#include "runtime/base/base.h"

typedef struct gr_known gr_known;

/* An empty one, with a private folder of its own. NULL: no folder or no memory, and every
 * submission asks for itself. */
gr_known *gr_known_new(void);
void gr_known_free(gr_known *known); /* and what it keeps; NULL is fine */

/* `key` is the sum of everything that the file hangs on. A file kept under it appears at `path`,
 * which is new and must not be written to; false: none is kept. */
bool gr_known_get(gr_known *known, const char key[WB_SHA256_TEXT], const char *path);
/* Keeps the file at `path`, unless there is no more room or one is kept already. */
void gr_known_put(gr_known *known, const char key[WB_SHA256_TEXT], const char *path);

#endif
