/* state.h: what a session keeps between cells, and how it loses it. Private to this room. */
#pragma once

#include <pthread.h>
#include "runtime/cells/cellgen.h"
#include "runtime/worker/client/names.h"
#include "runtime/worker/client/worker.h"
#include "runtime/worker/session.h"
#include "runtime/worker/words/listing.h"
#include "runtime/worker/words/lost.h"

struct wb_session {
    /* folder: private, with sources and libraries of the cells */
    char *wanted_device, *cwd, *folder;
    char **flags; /* NULL-terminated */
    wb_cellgen *gen;
    wb_listing *listing;
    wb_lost *lost;            /* names that were lost with a worker and not defined again */
    wb_names *names_of_cells; /* maps compiler names of cells to numbers */
    wb_strings sources;       /* of the loaded cells, oldest first */
    bool has_state;           /* a cell has run in the present process */
    /* Other threads read these in wb_session_interrupt and wb_session_usage: */
    pthread_mutex_t lock;
    wb_device device;
    bool device_known;
    wb_worker *worker;   /* with the notebook's state; NULL: none yet */
    wb_worker *program;  /* not NULL while a program runs */
    json_t *names;       /* result of wb_session_names */
    json_t *outline;     /* result of wb_session_outline */
    char *debug;         /* the debugger's socket; NULL: off */
    json_t *paths;       /* {"cell [0123456789abcdef]": the debugger's name of the source} */
    volatile int stop;   /* an interrupt, for the compiler */
    bool expected;       /* wb_session_expect was called */
    const wb_sink *sink; /* of the cell that runs */
    unsigned waits;      /* number of cells that waited for the build */
    bool waiting;        /* the current cell waits, and shows it */
};

/* Replaces a worker under the lock. Returns the old one. */
wb_worker *wb_state_exchange(wb_session *s, wb_worker **slot, wb_worker *worker);
/* Updates the names that other threads see. */
void wb_state_publish(wb_session *s);
/* Remembers a cell's source for wb_session_disassemble, newest last, each once. */
void wb_state_remember(wb_session *s, const char *source);
/* Ends the process with the state, and forgets all definitions. */
void wb_state_drop(wb_session *s);
/* Records that the cell ended its process: variables are lost, definitions recompiled. */
void wb_state_lose(wb_session *s, int cell, const wb_outcome *outcome);
