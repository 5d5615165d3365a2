/* memory.h: the memory limit of a session's process.
 *
 * It limits private writable memory (RLIMIT_DATA), which malloc provides. It does not limit the
 * address space that a CUDA driver reserves, nor device, pinned or managed memory. At the limit
 * `new` throws std::bad_alloc, which names a line. Without a limit the system would kill the
 * process, which names none. */
#pragma once

#include "runtime/base/base.h"

/* Sets *limit for a worker, in bytes; 0: none. $WARPBOOK_WORKER_MEMORY is a number with K, M or G,
 * or "none". The default is three quarters of wb_memory_machine(). Returns false and sets *err for
 * another value. */
bool wb_memory_limit(size_t *limit, wb_error *err);

/* Returns the resident bytes of a process, from /proc/PID/statm; 0 if it has ended. */
size_t wb_memory_resident(int pid);

/* Writes "1.5 GB". Returns text. */
const char *wb_memory_text(size_t bytes, char text[16]);
