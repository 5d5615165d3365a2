/* unit.h: a cell's translation unit: its text, and how it is linked. */
#ifndef WARPBOOK_CELLS_UNIT_H
#define WARPBOOK_CELLS_UNIT_H

#include "runtime/cells/cellgen.h"
#include "runtime/cells/live/live.h"
#include "runtime/cells/headers/own_headers.h"

/* A unit that was run: a live entity's `cell` is an index of an array of these. */
typedef struct wb_loaded {
    char id[WB_CELL_ID];
    unsigned serial;
    int number;
    char *brings; /* see bring.h */
} wb_loaded;

/* What a unit is written for. */
typedef struct wb_notebook {
    wb_live live;
    wb_loaded *loaded;
    size_t n_loaded;
    wb_own_headers own;
    bool bring_all;  /* no #include line of an earlier cell is left out */
    bool qualified;  /* all uses of what stands aside name its namespace */
    bool carry_none; /* nothing is compiled again because of what a cell defines anew (carry.h) */
} wb_notebook;

/* Sets the unit's source, script, flags and links, for the cell's text as `split` took it apart; id
 * and `program` have to be set. False when memory ran out. */
bool wb_unit_write(const wb_notebook *book, const wb_text *text, const wb_split *split,
                   wb_unit *unit);

#endif
