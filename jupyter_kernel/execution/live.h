/* live.h: the one session of a kernel. It opens when a cell first needs it, or earlier in the
 * background, so that the first cell is fast. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/worker/session.h"

typedef struct live {
    pthread_mutex_t opening; /* held while the session is opened and while options change */
    _Atomic(wb_session *) session;
    pthread_t
        warmer; /* opened the session; it lives until the end, because the worker dies with it */
    bool warming, closing;
    pthread_cond_t end; /* signals `closing`, with opening's lock */
    char device[4096];  /* "auto", "gpu", "soft", a GPU's name or the file that describes it */
    wb_strings flags;   /* nvcc's, of %flags */
} live;

void live_init(live *l);
void live_close(live *l);
/* Opens the session and its worker in the background, once. For the thread that runs cells. */
void live_warm(live *l);
/* Returns the session, opened if necessary. NULL with *err. For the thread that runs cells. */
wb_session *live_session(live *l, wb_error *err);
/* Returns the session if it is open, else NULL. Any thread may call it. */
wb_session *live_peek(live *l);

/* These change the options and reset the session if necessary. For the thread that runs cells. */
bool live_set_device(live *l, const char *device, wb_error *err);
/* Exchanges the flags, if it succeeds. The caller frees them in any case. */
bool live_set_flags(live *l, wb_strings *flags, wb_error *err);
bool live_reset(live *l, wb_error *err);
