/* symbolize.h: maps offsets in cells' libraries to functions, files and lines with addr2line and
 * the cells' debug information. */
#pragma once

#include <jansson.h>
#include <stddef.h>

typedef struct wb_frame {
    char *function; /* demangled, or NULL */
    char *file;     /* "cell [3]" or a path; NULL: unknown */
    int line;       /* 0: unknown */
} wb_frame;

/* Symbolizes frames, [["/path/cell.so", 4660], ...] as the worker reports them. Allocates the list.
 * An offset in inlined functions gives several frames. Without addr2line lines are 0. */
void wb_symbolize(const json_t *frames, wb_frame **list, size_t *count);
