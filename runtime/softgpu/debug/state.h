/* state.h: what the debugger's parts share: the client, its breakpoints and its focus, and the
 * thread that has stopped. `lock` guards all of it. The launch's thread and the reader's thread
 * (server.c) use it. Private to this room. */
#pragma once

#include <jansson.h>

#include "runtime/softgpu/debug/debug.h"
#include "runtime/softgpu/machine/machine.h"

enum dbg_command { DBG_WAIT, DBG_CONTINUE, DBG_OVER, DBG_IN, DBG_OUT };

typedef struct dbg_breakpoint {
    json_int_t id;
    char *path, *condition; /* condition: or NULL */
    uint32_t line, at;      /* at: the line with code; 0: not known */
    char relation[3];       /* of the hit condition: "==", ">=", ..., "%"; "": none */
    uint64_t number, hits;
} dbg_breakpoint;

enum { DBG_DEEPEST = 64 };

typedef struct dbg_frame { /* of the stopped thread, innermost first */
    const sg_func *func;
    uint32_t at;          /* the next instruction, or the call */
    uint32_t base, local; /* of registers, of local memory */
    const char *inlined;  /* the name of an inlined function; or NULL */
    uint32_t line;        /* of the call of an inlined function; 0: the line of `at` */
} dbg_frame;

/* The meaning of a variablesReference, which is its index + 1. */
typedef struct dbg_ref {
    enum dbg_ref_kind {
        DBG_THREAD,
        DBG_WARP,
        DBG_SHARED,
        DBG_GRID,
        DBG_GLOBALS,
        DBG_PARTS,      /* of a lane's variable */
        DBG_WARP_PARTS, /* the same for 32 lanes */
        DBG_LANES,      /* of a number */
        DBG_ELEMENTS    /* `from` to `to` - 1 of an array, or of a pointer's target */
    } kind;
    uint32_t frame;
    char *path; /* of the variable; or NULL */
    uint64_t from, to;
} dbg_ref;

typedef struct dbg_stop { /* a thread that has stopped, and its warp */
    const sg_run *run;
    const dbg_info *info;
    sg_warp *stopped; /* the warp that ran, at `ip` */
    const sg_op *ip;
    sg_warp *warp; /* of the focus */
    int lane;
    uint32_t mask; /* the lanes that are at the same place; 0: the thread has ended */
    dbg_frame frames[DBG_DEEPEST];
    uint32_t n_frames;
    dbg_ref *refs;
    uint32_t n_refs;
} dbg_stop;

typedef struct dbg_state {
    pthread_mutex_t lock;
    pthread_cond_t woken; /* a command or the client's end */
    _Atomic int fd;       /* -1: no client */
    pid_t pid;            /* of the process that connected; forked children have no client */
    bool configured, pause, any;
    _Atomic unsigned changes; /* counts what a running launch has to look at */
    uint32_t block[3], thread[3];
    uint64_t seed;
    dbg_breakpoint *breaks;
    uint32_t n_breaks;
    json_t *sources; /* {"cell [0123456789abcdef]": the client's path} */
    dbg_stop *stop;  /* NULL: no thread has stopped */
    enum dbg_command command;
} dbg_state;
extern dbg_state dbg;

/* Sends an event. Takes over the body. */
void dbg_event(const char *name, json_t *body);
void dbg_pausing(void); /* waits until `woken`, or a moment */

/* Answers the whole messages in `in`. Returns false if no message can follow. The lock is held. */
bool dbg_take(wb_buf *in);

/* ---- break.c */
/* Answers setBreakpoints. */
json_t *dbg_breaks_set(const json_t *arguments);
void dbg_breaks_clear(void);
/* Finds the lines of a launch's module, and tells the client those that moved. Marks the ops that
 * begin these lines. */
void dbg_breaks_place(const sg_run *run, uint8_t *marks);
/* Returns the breakpoint that stops the lane here, or NULL. Counts the hit. */
const dbg_breakpoint *dbg_breaks_hit(const dbg_stop *stop, int lane);

/* ---- stop.c */
/* Sets the focus of a stopped block, and its frames. Returns false if no such thread is there. */
bool dbg_stop_focus(dbg_stop *stop, uint32_t thread);
/* Returns the file as the client names it. `own`: its name in the PTX. */
const char *dbg_path(const char *own);

/* ---- show.c */
json_t *dbg_show_thread(void);
json_t *dbg_show_frames(void);
json_t *dbg_show_scopes(json_int_t frame); /* NULL: no such frame */
json_t *dbg_show_variables(json_int_t reference);
/* NULL: why is set. */
json_t *dbg_show_evaluate(json_int_t frame, const char *expression, const char **why);

/* ---- lookup.c */
typedef struct dbg_value { /* a number; shape has no name or places */
    sg_watched shape;
    uint64_t bits;
} dbg_value;
/* Finds a variable, member or element by its path: p.x, tile[3][4], in[5]. */
bool dbg_find(const dbg_stop *stop, uint32_t frame, int lane, const char *path, dbg_value *value);
/* Reads a number of a lane; false: it has no value here. */
bool dbg_read(const dbg_stop *stop, uint32_t frame, int lane, const sg_watched *w, uint64_t *bits);
/* Reads an element of an array, or of a pointer's target whose value is in *pointer. */
bool dbg_element(const dbg_stop *stop, uint32_t frame, const sg_watched *w, const uint64_t *pointer,
                 uint64_t index, dbg_value *value);
/* Returns true for a __device__ pointer: an array of one. Its elements are its target's. */
bool dbg_is_pointer(const sg_watched *w);
/* Returns the number of elements from there on, or 0. */
uint64_t dbg_elements(const dbg_stop *stop, uint32_t frame, const sg_watched *w,
                      const uint64_t *pointer);

/* ---- expression.c */
typedef struct dbg_number {
    bool is_real; /* no whole number */
    long double value;
} dbg_number;
/* Computes an expression of C for a lane. Returns false and sets why if it can't. */
bool dbg_compute(const dbg_stop *stop, uint32_t frame, int lane, const char *text,
                 dbg_number *result, const char **why);
