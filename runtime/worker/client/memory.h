/* memory.h: how much memory the process of a session may take.
 *
 * The limit is on private writable memory (RLIMIT_DATA): what is malloc'd, not the address space
 * that a CUDA driver reserves, nor device, pinned or managed memory. At the limit `new` throws
 * std::bad_alloc, which has a line; without one the system would kill, which has none. */
#ifndef WARPBOOK_WORKER_MEMORY_H
#define WARPBOOK_WORKER_MEMORY_H

#include "runtime/base/base.h"

/* The limit for a worker, bytes, 0: none. $WARPBOOK_WORKER_MEMORY is a number with K, M or G behind
 * it, or "none"; without it three quarters of wb_memory_machine(). False with *err when it is
 * neither. */
bool wb_memory_limit(size_t *limit, wb_error *err);

/* Resident bytes of a process, from /proc/PID/statm; 0 when it is gone. */
size_t wb_memory_resident(int pid);

/* "1.5 GB" into text; returns text. */
const char *wb_memory_text(size_t bytes, char text[16]);

#endif
