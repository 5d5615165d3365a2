/* live.c: opens the session once, from whichever thread needs it first. */
#include "jupyter_kernel/execution/live.h"

#include "runtime/base/scoped.h"

void live_init(live *l) {
    *l = (live){0};
    pthread_mutex_init(&l->opening, NULL);
    pthread_cond_init(&l->end, NULL);
    const char *device = wb_setting("WARPBOOK_DEVICE");
    snprintf(l->device, sizeof l->device, "%s", device ? device : "auto");
}

wb_session *live_peek(live *l) {
    return atomic_load(&l->session);
}

static wb_session_options options_of(const live *l) {
    return (wb_session_options){.device = l->device, .nvcc_flags = (const char *const *)l->flags.v};
}

wb_session *live_session(live *l, wb_error *err) {
    wb_session *session = live_peek(l);
    if (session)
        return session;
    WB_LOCKED(&l->opening);
    session = live_peek(l);
    if (!session) {
        wb_session_options options = options_of(l);
        session = wb_session_open(&options, err);
        atomic_store(&l->session, session);
    }
    return session;
}

/* Publishes the session only when it is ready. An error is dropped: the next cell meets it
 * again. */
static void *warm(void *argument) {
    live *l = argument;
    wb_error err;
    pthread_mutex_lock(&l->opening);
    wb_session_options options = options_of(l);
    wb_session *session = live_peek(l) || l->closing ? NULL : wb_session_open(&options, &err);
    if (session) {
        if (wb_session_prepare(session, &err))
            wb_session_expect(session);
        atomic_store(&l->session, session);
    }
    while (!l->closing)
        pthread_cond_wait(&l->end, &l->opening);
    pthread_mutex_unlock(&l->opening);
    return NULL;
}

void live_warm(live *l) {
    if (!l->warming && !live_peek(l))
        l->warming = pthread_create(&l->warmer, NULL, warm, l) == 0;
}

void live_close(live *l) {
    pthread_mutex_lock(&l->opening);
    l->closing = true;
    pthread_cond_signal(&l->end);
    pthread_mutex_unlock(&l->opening);
    wb_session *session = live_peek(l);
    atomic_store(&l->session, NULL);
    if (session)
        wb_session_close(session);
    if (l->warming)
        pthread_join(l->warmer, NULL);
    wb_strings_free(&l->flags);
    pthread_cond_destroy(&l->end);
    pthread_mutex_destroy(&l->opening);
}

bool live_reset(live *l, wb_error *err) {
    wb_session *session = live_peek(l);
    wb_session_options options = options_of(l);
    return !session || wb_session_reset(session, &options, err);
}

bool live_set_device(live *l, const char *device, wb_error *err) {
    char before[sizeof l->device];
    pthread_mutex_lock(&l->opening);
    memcpy(before, l->device, sizeof before);
    snprintf(l->device, sizeof l->device, "%s", device);
    pthread_mutex_unlock(&l->opening);
    /* Open the session even before the first cell, so that a missing device is reported now. */
    bool ok = live_peek(l) ? live_reset(l, err) : live_session(l, err) != NULL;
    if (!ok)
        memcpy(l->device, before, sizeof before);
    return ok;
}

bool live_set_flags(live *l, wb_strings *flags, wb_error *err) {
    static const char *const none[] = {NULL};
    WB_LOCKED(&l->opening);
    wb_session *session = live_peek(l);
    const char *const *v = flags->v ? (const char *const *)flags->v : none;
    bool ok = !session || wb_session_set_flags(session, v, err);
    if (ok) {
        wb_strings old = l->flags;
        l->flags = *flags;
        *flags = old;
    }
    return ok;
}
