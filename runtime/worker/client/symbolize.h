/* symbolize.h: offsets in cells' libraries to functions, files and lines, by addr2line and the
 * debug information that cells are compiled with. */
#ifndef WARPBOOK_SYMBOLIZE_H
#define WARPBOOK_SYMBOLIZE_H

#include <jansson.h>
#include <stddef.h>

typedef struct wb_frame {
    char *function; /* demangled, or NULL */
    char *file;     /* "cell [3]" or a path; NULL: unknown */
    int line;       /* 0: unknown */
} wb_frame;

/* frames: [["/path/cell.so", 4660], ...] as the worker reports them. Allocates the list; inlined
 * functions make several frames of one offset. Where addr2line is missing lines are unknown (0). */
void wb_symbolize(const json_t *frames, wb_frame **list, size_t *count);

#endif
