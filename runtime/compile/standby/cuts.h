/* cuts.h: how far the text that a compiler reads for a cell is its headers', and the sums by which
 * such a beginning is known. It may be cut wherever a header that the cell's unit includes has
 * ended, before the first line of the unit's own. */
#ifndef WARPBOOK_COMPILE_STANDBY_CUTS_H
#define WARPBOOK_COMPILE_STANDBY_CUTS_H

#include "runtime/compile/standby/names.h"

typedef struct standby_cut {
    size_t at;     /* in the text as it is */
    size_t hidden; /* in the text with constant names */
    char key[WB_SHA256_TEXT];
} standby_cut;

typedef struct standby_cuts {
    wb_buf text; /* with constant names, to the last cut */
    standby_cut *v;
    size_t n;
} standby_cuts;

/* The cuts of what was preprocessed, in order; a key is the sum of `first` and all up to the cut.
 * Freed either way. False: there are none. */
bool standby_cuts_find(standby_cuts *cuts, const standby_names *names, const char *text,
                       const char *first);
void standby_cuts_free(standby_cuts *cuts);

#endif
