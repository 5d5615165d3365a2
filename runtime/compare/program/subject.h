/* subject.h: a kernel under comparison: one of the set, a reference, or the user's own function. */
#ifndef WARPBOOK_COMPARE_SUBJECT_H
#define WARPBOOK_COMPARE_SUBJECT_H

#include "kernels/call.h"

typedef struct subject {
    wbk_kernel kernel; /* the registry's row; for a user's function a copy of its model's */
    const char *label; /* what it is called in the output */
    bool user;
    bool reference; /* what the others are measured against */
    bool has_work;  /* takes the work buffer */
    void *function; /* NULL: not found, `problem` says why */
    char problem[600];
} subject;

typedef wbk_arguments arguments;

/* Finds the launcher in its library (already looked up relative to this program's folder); on
 * failure s->function stays NULL and s->problem says why. */
void subject_load(subject *s, wbk_type type, const char *library_folder);
/* The user's: `symbol` in the shared library at `path`, called as `model` is; has_work from the
 * command line. */
void subject_load_user(subject *s, const char *path, const char *symbol);

/* Calls the launcher. A user's function may return void: what counts then is cudaGetLastError(). */
cudaError_t subject_call(const subject *s, const arguments *args, cudaStream_t stream);

#endif
