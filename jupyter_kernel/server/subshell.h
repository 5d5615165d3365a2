/* subshell.h: the list of a kernel's subshells. The kernel answers their requests while a cell runs
 * in the main shell.
 * https://jupyter.org/enhancement-proposals/91-kernel-subshells/kernel-subshells.html
 *
 * They share the shell channel, and a request's header names its subshell. The control thread
 * answers while the shell thread is busy, else the shell thread does, one at a time and in order.
 * Cells run only in the main shell, because one process holds their state. */
#pragma once

#include <pthread.h>

#include "jupyter_kernel/protocol/wire.h"

enum { SUBSHELL_MAX = 64, SUBSHELL_ID_SIZE = 48 };

/* Any thread may use it. */
typedef struct subshells {
    pthread_mutex_t lock;
    char ids[SUBSHELL_MAX][SUBSHELL_ID_SIZE];
    size_t n;
    unsigned long made;
} subshells;

void subshells_init(subshells *s);
void subshells_free(subshells *s);

/* Returns the id of the subshell that a message is for. NULL: the main shell. */
const char *subshell_of(const wire_message *m);

/* Adds a subshell and writes its id, which begins with `session`. False: SUBSHELL_MAX exist. */
bool subshells_add(subshells *s, const char *session, char id[SUBSHELL_ID_SIZE]);
bool subshells_remove(subshells *s, const char *id); /* false: no such id, or NULL */
bool subshells_has(subshells *s, const char *id);
json_t *subshells_list(subshells *s); /* an array of ids */
