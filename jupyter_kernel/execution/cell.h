/* cell.h: what a cell is made of before the compiler sees it: C++, magics, shell lines and
 * questions. Knows comments, strings, raw strings and nesting, so that `a % b` over two lines stays
 * C++. */
#ifndef WARPBOOK_KERNEL_CELL_H
#define WARPBOOK_KERNEL_CELL_H

#include "runtime/base/base.h"

typedef enum cell_kind {
    CELL_CODE,  /* CUDA C++ */
    CELL_LINE,  /* %name args */
    CELL_WHOLE, /* %%name args, and all lines below as its body */
    CELL_SHELL, /* !command */
    CELL_ASK    /* name? or ?name */
} cell_kind;

typedef struct cell_part {
    cell_kind kind;
    int line;         /* 1-based, where the part begins */
    const char *text; /* inside the cell: what follows %, %%, ! ; the name asked about; or C++ */
    size_t len;
    const char *body; /* CELL_WHOLE: the lines below */
    size_t body_len;
    bool twice; /* CELL_ASK: name??, which asks for the source */
} cell_part;

typedef struct cell_parts {
    cell_part *part;
    size_t n;
} cell_parts;

/* Splits; parts of blanks and comments alone are left out, and so are lines that begin with # and
 * are no directive where no C++ follows them before the next magic or shell's line. is_magic tells
 * the names of line magics. False when memory runs out. The parts point into code. */
bool cell_split(const char *code, size_t len, bool (*is_magic)(const char *name, size_t len),
                cell_parts *parts);
void cell_parts_free(cell_parts *parts);

/* "complete", "incomplete" or "invalid" for a whole cell, magics included. */
const char *cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size);

/* The C++ of a part with its lines where they stand in the cell: newlines before it. malloc'd. */
char *cell_placed(const char *text, size_t len, int line);

#endif
