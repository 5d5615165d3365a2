/* state.c: what a session keeps between cells, and how it loses it. */
#include "runtime/worker/session/state.h"

void wb_state_remember(wb_session *s, const char *source) {
    wb_strings *all = &s->sources;
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i], source) == 0) {
            char *again = all->v[i];
            memmove(all->v + i, all->v + i + 1, (all->n - i - 1) * sizeof *all->v);
            all->v[all->n - 1] = again;
            return;
        }
    wb_strings_add(all, source);
}

wb_worker *wb_state_exchange(wb_session *s, wb_worker **slot, wb_worker *worker) {
    WB_LOCKED(&s->lock);
    wb_worker *old = *slot;
    *slot = worker;
    return old;
}

void wb_state_publish(wb_session *s) {
    json_t *names = wb_cellgen_names(s->gen), *outline = wb_cellgen_outline(s->gen);
    wb_lost_find(s->lost, names);
    pthread_mutex_lock(&s->lock);
    json_t *old = s->names, *old_outline = s->outline;
    s->names = names;
    s->outline = outline;
    pthread_mutex_unlock(&s->lock);
    json_decref(old);
    json_decref(old_outline);
}

void wb_state_drop(wb_session *s) {
    wb_worker_stop(wb_state_exchange(s, &s->worker, NULL));
    wb_cellgen *fresh = wb_cellgen_new();
    if (fresh) {
        wb_cellgen_free(s->gen);
        s->gen = fresh;
    }
    wb_strings_free(&s->sources);
    s->has_state = false;
    wb_state_publish(s);
}

void wb_state_lose(wb_session *s, int cell, const wb_outcome *o) {
    json_t *names = wb_cellgen_names(s->gen);
    wb_lost_take(s->lost, names, cell, o);
    json_decref(names);
    wb_worker_stop(wb_state_exchange(s, &s->worker, NULL));
    wb_cellgen_lose(s->gen);
    s->has_state = false;
    wb_state_publish(s);
}
