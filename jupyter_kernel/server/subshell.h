/* subshell.h: further shells of one kernel, whose requests are answered while a cell runs in the
 * main one. https://jupyter.org/enhancement-proposals/91-kernel-subshells/kernel-subshells.html
 *
 * They share the shell channel; a request's header names the one it is for. The control thread
 * answers them while the shell thread is busy, the shell thread itself otherwise, one at a time and
 * in order. Cells run in the main shell alone: there is one state and one process that holds it. */
#ifndef WARPBOOK_KERNEL_SUBSHELL_H
#define WARPBOOK_KERNEL_SUBSHELL_H

#include <pthread.h>

#include "jupyter_kernel/protocol/message.h"

enum { SUBSHELL_MAX = 64, SUBSHELL_ID_SIZE = 48 };

typedef struct subshells {
    pthread_mutex_t lock;    /* for the list */
    pthread_mutex_t serving; /* held by the control thread from taking a request to its answer */
    char ids[SUBSHELL_MAX][SUBSHELL_ID_SIZE];
    size_t n;
    unsigned long made;
} subshells;

struct request;

void subshells_init(subshells *s);
void subshells_free(subshells *s);

/* The subshell a request is for; NULL: the main shell. */
const char *subshell_of(const wire_message *m);
/* Whether a message that waits is for a subshell, known or not. */
bool subshell_wants(const router_message *m);

/* Answers what a subshell can't do: it is not there, or the request is for the main shell alone.
 * False: it can (`allowed` says whether the type is one that subshells answer). */
bool subshell_refuses(struct request *r, bool allowed);

void handle_create_subshell(struct request *r);
void handle_delete_subshell(struct request *r);
void handle_list_subshell(struct request *r);

#endif
