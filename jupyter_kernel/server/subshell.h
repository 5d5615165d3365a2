/* subshell.h: the list of further shells of one kernel, whose requests are answered while a cell
 * runs in the main one.
 * https://jupyter.org/enhancement-proposals/91-kernel-subshells/kernel-subshells.html
 *
 * They share the shell channel; a request's header names the one it is for. The control thread
 * answers them while the shell thread is busy, the shell thread itself otherwise, one at a time and
 * in order. Cells run in the main shell alone: there is one state and one process that holds it. */
#ifndef WARPBOOK_KERNEL_SUBSHELL_H
#define WARPBOOK_KERNEL_SUBSHELL_H

#include <pthread.h>

#include "jupyter_kernel/protocol/wire.h"

enum { SUBSHELL_MAX = 64, SUBSHELL_ID_SIZE = 48 };

/* Usable by all threads. */
typedef struct subshells {
    pthread_mutex_t lock;
    char ids[SUBSHELL_MAX][SUBSHELL_ID_SIZE];
    size_t n;
    unsigned long made;
} subshells;

void subshells_init(subshells *s);
void subshells_free(subshells *s);

/* The subshell a message is for; NULL: the main shell. */
const char *subshell_of(const wire_message *m);

/* Makes one and writes its id, which begins with `session`; false: there are as many as may be. */
bool subshells_add(subshells *s, const char *session, char id[SUBSHELL_ID_SIZE]);
bool subshells_remove(subshells *s, const char *id); /* false: it is not there; so with NULL */
bool subshells_has(subshells *s, const char *id);
json_t *subshells_list(subshells *s); /* an array of ids */

#endif
