/* subject.h: a kernel in the comparison: one of the set, a reference, or the user's own. */
#pragma once

#include "kernels/call.h"

typedef struct subject {
    wbk_kernel kernel; /* the registry's row; for a user's function a copy of its model's */
    const char *label; /* its name in the output */
    bool user;
    bool reference; /* the others are compared with it */
    bool has_work;  /* takes the work buffer */
    void *function; /* NULL: not found; see `problem` */
    char problem[600];
} subject;

typedef wbk_arguments arguments;

/* Finds the launcher in its library, relative to this program's folder. On failure s->function
 * stays NULL and s->problem says why. */
void subject_load(subject *s, wbk_type type, const char *library_folder);
/* Finds the user's function: `symbol` in the library at `path`, called like `model`. The caller
 * sets has_work. */
void subject_load_user(subject *s, const char *path, const char *symbol);

/* Calls the launcher. A user's function may return void, so cudaGetLastError() counts for it. */
cudaError_t subject_call(const subject *s, const arguments *args, cudaStream_t stream);

/* Describes an error, from softgpu's report (or NULL) if it has a fault. */
void subject_error(cudaError_t status, const char *report, char *text, size_t size);
