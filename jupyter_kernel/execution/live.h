/* live.h: the one session of a kernel, opened when a cell first needs it (or ahead of that in the
 * background, so that the first cell is fast). */
#ifndef WARPBOOK_KERNEL_LIVE_H
#define WARPBOOK_KERNEL_LIVE_H

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/worker/session.h"

typedef struct live {
    pthread_mutex_t opening; /* held while the session is opened and while options change */
    _Atomic(wb_session *) session;
    pthread_t warmer; /* opened it; lives until the end, since the worker would die with it */
    bool warming, closing;
    pthread_cond_t end; /* of closing, with opening's lock */
    char device[4096];  /* "auto", "gpu", "soft", the name of a GPU or its file */
    char **flags;       /* NULL-terminated, or NULL; live owns them */
} live;

void live_init(live *l);
void live_close(live *l);
/* Opens in the background and starts the worker; the first call counts. From the thread that runs
 * cells. */
void live_warm(live *l);
/* The session, opened now if it must be; NULL with *err. For the thread that runs cells. */
wb_session *live_session(live *l, wb_error *err);
/* The session if there is one already, else NULL; any thread. */
wb_session *live_peek(live *l);

/* Change the options; the session is reset where it has to be. For the thread that runs cells. */
bool live_set_device(live *l, const char *device, wb_error *err);
bool live_set_flags(live *l, char **flags, wb_error *err); /* flags: stolen */
bool live_reset(live *l, wb_error *err);

#endif
