/* cache.h: compiled things kept by content. An entry is a folder named by a SHA-256 under
 * wb_path_cache("compile"), holding the compiler's output, what it printed, and the files it read.
 * Entries appear by rename, so a process killed at any moment leaves old or new, never half. */
#ifndef WARPBOOK_COMPILE_CACHE_H
#define WARPBOOK_COMPILE_CACHE_H

#include "runtime/base/base.h"

enum { WB_CACHE_KEY = 65 }; /* hexadecimal digits and a NUL */

/* The SHA-256 of the bytes as hexadecimal digits. */
bool wb_cache_hash(const void *data, size_t len, char key[WB_CACHE_KEY]);

/* Copies the entry's output to `output` and appends what the compiler had printed to *log. False
 * when there is no entry or a file that it was made from has changed since. Relative names of such
 * files are looked up under `cwd`. */
bool wb_cache_get(const char *key, const char *cwd, const char *output, wb_buf *log);

/* Keeps `output`. `depfile` is the compiler's list of files read, in make's syntax; `sources`
 * (NULL-terminated) are left out of it, their content being part of the key. Failing to keep is no
 * error. Oldest entries go when all together exceed $WARPBOOK_CACHE_MB (default 1024). */
void wb_cache_put(const char *key, const char *cwd, const char *output, const char *log,
                  const char *depfile, const char *const *sources);

/* The files that the entry was made from, a path a line, malloc'd; NULL when there is no entry. */
char *wb_cache_inputs(const char *key);

#endif
