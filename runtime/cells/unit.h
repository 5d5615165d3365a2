/* unit.h: writes a cell's translation unit and its link options. */
#pragma once

#include "runtime/cells/cellgen.h"
#include "runtime/cells/live/live.h"
#include "runtime/cells/headers/own_headers.h"

/* A unit that ran. A live entity's `cell` is an index of an array of these. */
typedef struct wb_loaded {
    char id[WB_CELL_ID];
    unsigned serial;
    int number;
    char *brings; /* see bring.h */
} wb_loaded;

/* The notebook that a unit is written for. */
typedef struct wb_notebook {
    wb_live live;
    wb_loaded *loaded;
    size_t n_loaded;
    wb_own_headers own;
    wb_unit_ways ways;
} wb_notebook;

/* Sets the unit's source, script, flags and links from the cell's text and its `split`. id and
 * `program` must be set. Returns false if memory runs out. */
bool wb_unit_write(const wb_notebook *book, const wb_text *text, const wb_split *split,
                   wb_unit *unit);
