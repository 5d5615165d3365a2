/* cache.h: keeps compiled files by content. An entry is a file, named by a SHA-256, in
 * wb_path_cache("compile"). It holds the compiler's output, its messages, the files it read, and a
 * checksum. A damaged entry counts as missing, so a bad disk never changes a result. */
#pragma once

#include "runtime/base/scoped.h"

/* Returns the path of a file that is named relative to `cwd` (NULL: this process's); malloc'd. */
char *wb_cache_path(const char *cwd, const char *name);

/* Removes a file, or a folder with all in it. */
bool wb_cache_drop(const char *path);

/* Makes room for one more folder under `root`, which may have `most`: removes the least recently
 * used, and unfinished ones ("new-...") that a process killed an hour ago left. */
void wb_cache_room(const char *root, int most);

/* Writes the entry's output to `output`, appends the compiler's messages to *log, and sets *inputs
 * to the files that it read, one path a line, malloc'd. Returns false if the entry is missing or
 * damaged, or one of these files has changed. Relative names are relative to `cwd`. */
bool wb_cache_get(const char *key, const char *cwd, const char *output, wb_buf *log, char **inputs);

/* Caches `output`. `depfile` lists the files read, in make's syntax. `sources` (NULL-terminated)
 * are left out, because the key covers them. Sets *inputs as wb_cache_get does, or to NULL if
 * unknown. A failure to cache is no error. Removes the oldest entries beyond $WARPBOOK_CACHE_MB
 * (default 1024). */
void wb_cache_put(const char *key, const char *cwd, const char *output, const char *log,
                  const char *depfile, const char *const *sources, char **inputs);

/* Returns true if every file of the list at `path` still has its size and time of change. A line is
 * "SIZE SECONDS NAME" (stat -c '%s %Y %n'). */
bool wb_cache_stamps_hold(const char *path);
