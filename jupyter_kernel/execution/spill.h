/* spill.h: how much a cell may show, and where the rest goes. */
#ifndef WARPBOOK_KERNEL_SPILL_H
#define WARPBOOK_KERNEL_SPILL_H

#include "runtime/base/base.h"

/* Bytes of stdout and stderr a cell shows; $WARPBOOK_OUTPUT_LIMIT changes it. */
enum { SPILL_DEFAULT_LIMIT = 8 << 20 };

typedef struct spill {
    size_t limit, shown, spilt;
    int number; /* the cell's */
    int fd;     /* the file with the rest; -1: none (yet, or any more) */
    int error;  /* errno: why not */
    char *path;
} spill;

void spill_open(spill *s, int number);
void spill_close(spill *s);

/* How many of the `len` bytes at text may be shown, never splitting a code point; the rest goes to
 * the file. *notice is set to a malloc'd sentence the first time something is cut, else NULL. */
size_t spill_admit(spill *s, const char *text, size_t len, char **notice);
/* The closing sentence when something was cut, malloc'd; else NULL. */
char *spill_summary(const spill *s);

#endif
