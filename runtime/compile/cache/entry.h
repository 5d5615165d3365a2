/* entry.h: one entry of the cache as one file: a line of text with the SHA-256 of all behind it,
 * then the list of inputs, what the compiler printed, and its output. Whole, or not an entry: what
 * is loaded has been read once, checked, and is handed over from memory, so that nothing that
 * happens to the file can come between. */
#ifndef WARPBOOK_COMPILE_ENTRY_H
#define WARPBOOK_COMPILE_ENTRY_H

#include "runtime/base/base.h"

typedef struct entry {
    wb_buf bytes;       /* the file; what follows lies in it */
    char *inputs, *log; /* texts */
    const char *output;
    size_t output_len;
    mode_t mode; /* the output's */
} entry;

/* False when there is none or it is damaged; then there is nothing to free. */
bool entry_load(const char *path, entry *e);
void entry_free(entry *e);

/* Keeps the file `output` and both texts. The entry is written beside `path`, synced and renamed:
 * a process killed, or a disk that is full, leaves the old one or none. */
bool entry_save(const char *path, const char *inputs, const char *log, const char *output);

#endif
