/* known.h: keeps results of a lab's reference during a batch. Submissions with the same seed have
 * the same inputs, so each result is computed once. Only the reference's sandbox fills it, after a
 * submission's kernels have ended. No process with code of a submission sees the folder.
 * Thread-safe. */
#pragma once

#include "runtime/base/base.h"

typedef struct gr_known gr_known;

/* Returns an empty one. NULL: it can't be made, so every submission computes all results. */
gr_known *gr_known_new(void);
void gr_known_free(gr_known *known); /* removes its files, too; may be NULL */

/* `key` is the hash of everything that determines the file. If a file has this key, it appears at
 * `path`, which must not exist or be written to. Returns false if there is none. */
bool gr_known_get(gr_known *known, const char key[WB_SHA256_TEXT], const char *path);
/* Keeps the file at `path`, unless there is no space or the key exists. */
void gr_known_put(gr_known *known, const char key[WB_SHA256_TEXT], const char *path);
