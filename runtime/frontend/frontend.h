/* frontend.h: a compiler that has read the headers already, for cells without device code. It is a
 * process of the notebook's, started when it is first asked; what it can't do, or what it might do
 * differently from nvcc, it leaves to nvcc, and so it does where it crashes, hangs or isn't
 * installed. One thread asks. */
#ifndef WARPBOOK_FRONTEND_H
#define WARPBOOK_FRONTEND_H

#include "runtime/base/base.h"

typedef struct wb_frontend wb_frontend;

/* NULL: there is none here, or nobody switched it on ($WARPBOOK_FRONTEND is not 1), or no memory.
 */
wb_frontend *wb_frontend_new(void);
void wb_frontend_free(wb_frontend *f);

/* What tells its libraries from those of another build, or of nvcc; borrowed. */
const char *wb_frontend_identity(const wb_frontend *f);

typedef struct wb_frontend_job {
    const char *source;                 /* the unit's path, .../cell_ID.cu */
    const char *const *flags;           /* nvcc's, of the unit and of the user, NULL-terminated */
    const char *folder;                 /* private, for what lies about meanwhile */
    const char *output;                 /* the library to make */
    const char *depfile;                /* gets what was read, as `-MD` writes it */
    const char *cwd;                    /* where the linker runs */
    const char *link_dir, *library_dir; /* where libcudart is, for the linker; link_dir may be "" */
    const char *include_dir;            /* of the toolkit */
    const volatile int *stop;           /* becomes non-zero: to be given up */
} wb_frontend_job;

/* True: the library is there, as good as nvcc's. False: it is nvcc's to make; why, in words, to
 * `why`. */
bool wb_frontend_make(wb_frontend *f, const wb_frontend_job *job, wb_error *why);

#endif
