/* cache.h: compiled things kept by content. An entry is a file named by a SHA-256 under
 * wb_path_cache("compile"), holding the compiler's output, what it printed, the files it read, and
 * a checksum of all that (entry.h). One that is damaged, in whatever way, counts as none and is
 * made anew: the disk is not trusted with the result of a cell. */
#ifndef WARPBOOK_COMPILE_CACHE_H
#define WARPBOOK_COMPILE_CACHE_H

#include "runtime/base/base.h"

/* Removes what lies there, a file or a folder and all in it. */
bool wb_cache_drop(const char *path);

/* Before one more folder is kept under `root`, where there may be `most`: the least recently used
 * goes, and unfinished ones ("new-...") that a killed process left an hour ago. */
void wb_cache_room(const char *root, int most);

/* Writes the entry's output to `output`, appends what the compiler had printed to *log, and sets
 * *inputs to the files that it had read, a path a line, malloc'd. False when there is no entry,
 * which includes a damaged one, or a file that it was made from has changed since. Relative names
 * of such files are looked up under `cwd`. */
bool wb_cache_get(const char *key, const char *cwd, const char *output, wb_buf *log, char **inputs);

/* Keeps `output`. `depfile` is the compiler's list of files read, in make's syntax; `sources`
 * (NULL-terminated) are left out of it, their content being part of the key. *inputs becomes that
 * list as wb_cache_get gives it, NULL where it can't be told; that the rest could not be kept is no
 * error. Oldest entries go when all together exceed $WARPBOOK_CACHE_MB (default 1024). */
void wb_cache_put(const char *key, const char *cwd, const char *output, const char *log,
                  const char *depfile, const char *const *sources, char **inputs);

/* Whether every file of the list at `path`, a line "SIZE SECONDS NAME" each (stat -c '%s %Y %n'),
 * has that size and time of change. */
bool wb_cache_stamps_hold(const char *path);

#endif
