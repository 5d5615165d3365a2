/* entry.h: a cache entry as one file: a line with the SHA-256 of the rest, then the list of inputs,
 * the compiler's messages, and its output. It is valid as a whole or not at all. The file is read
 * once, checked, and used from memory, so a later change of the file has no effect. */
#ifndef WARPBOOK_COMPILE_ENTRY_H
#define WARPBOOK_COMPILE_ENTRY_H

#include "runtime/base/scoped.h"

typedef struct entry {
    wb_buf bytes;       /* the file's bytes; the other members point into them */
    char *inputs, *log; /* texts */
    const char *output;
    size_t output_len;
    mode_t mode; /* the output's */
} entry;

/* Returns false, with nothing to free, if the entry is missing or damaged. */
bool entry_load(const char *path, entry *e);
void entry_free(entry *e);

/* Saves the file `output` and both texts. Writes beside `path`, syncs and renames, so a killed
 * process or a full disk leaves the old entry or none. */
bool entry_save(const char *path, const char *inputs, const char *log, const char *output);

#endif
