/* spill.h: limits the output that a cell shows, and keeps the rest in a file. */
#pragma once

#include "runtime/base/scoped.h"

/* Bytes of stdout and stderr that a cell shows. $WARPBOOK_OUTPUT_LIMIT changes the limit. */
enum { SPILL_DEFAULT_LIMIT = 8 << 20 };

typedef struct spill {
    size_t limit, shown, spilt;
    int number; /* the cell's */
    int fd;     /* the file with the rest; -1: not open */
    int error;  /* errno of the failure */
    char *path;
} spill;

void spill_open(spill *s, int number);
void spill_close(spill *s);

/* Returns how many of the `len` bytes at text may be shown, without splitting a code point. The
 * rest goes to the file. *notice: a sentence at the first cut, malloc'd, else NULL. */
size_t spill_admit(spill *s, const char *text, size_t len, char **notice);
/* Returns the closing sentence if something was cut, else NULL. The caller frees it. */
char *spill_summary(const spill *s);
