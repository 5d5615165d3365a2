/* state.h: what a session holds from one cell to the next, and how it is lost. Private to this
 * room.
 */
#ifndef WARPBOOK_SESSION_STATE_H
#define WARPBOOK_SESSION_STATE_H

#include <pthread.h>
#include "runtime/cells/cellgen.h"
#include "runtime/worker/client/names.h"
#include "runtime/worker/client/worker.h"
#include "runtime/worker/session.h"
#include "runtime/worker/words/listing.h"
#include "runtime/worker/words/lost.h"

struct wb_session {
    char *wanted_device, *cwd, *folder; /* folder: sources and libraries of the cells, private */
    char **flags;                       /* NULL-terminated */
    wb_cellgen *gen;
    wb_listing *listing;
    wb_lost *lost;            /* what went with a worker and is not there again */
    wb_names *names_of_cells; /* their numbers, by what the compiler calls them */
    wb_strings sources;       /* of the loaded cells, oldest first */
    bool has_state;           /* a cell has run in the process that is there now */
    /* Shared with wb_session_interrupt and wb_session_usage on other threads: */
    pthread_mutex_t lock;
    wb_device device;
    bool device_known;
    wb_worker *worker;   /* of the notebook's state; NULL: none yet */
    wb_worker *program;  /* while a program runs */
    json_t *names;       /* what wb_session_names gives */
    volatile int stop;   /* an interrupt, as the compiler sees it */
    bool expected;       /* wb_session_expect was called */
    const wb_sink *sink; /* of the cell that runs */
    unsigned waits;      /* how often a cell had to wait for the rest of the build */
    bool waiting;        /* ... as this one does, which says so */
};

/* Swaps a worker in or out where other threads may look; returns what was there. */
wb_worker *wb_state_exchange(wb_session *s, wb_worker **slot, wb_worker *worker);
/* What other threads are told of the notebook's names is what cellgen knows of them now. */
void wb_state_publish(wb_session *s);
/* A cell's source, for wb_session_disassemble: the newest last; a unit that ran again is one source
 * still. */
void wb_state_remember(wb_session *s, const char *source);
/* The process that held the state is to go, and all definitions with it. */
void wb_state_drop(wb_session *s);
/* The cell ended its process: variables are gone, and definitions have to be compiled again when
 * they are needed. */
void wb_state_lose(wb_session *s, int cell, const wb_outcome *outcome);

#endif
