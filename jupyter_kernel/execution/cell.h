/* cell.h: splits a cell into C++, magics, shell lines and questions before the compiler sees it. It
 * knows comments, strings, raw strings and nesting, so `a % b` over two lines stays C++. */
#pragma once

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
    int line;         /* 1-based, of the part's first line */
    const char *text; /* the text after %, %% or !; the name asked about; or C++ */
    size_t len;
    const char *body; /* CELL_WHOLE: the lines below */
    size_t body_len;
    bool twice; /* CELL_ASK: name??, which asks for the source */
} cell_part;

typedef struct cell_parts {
    cell_part *part;
    size_t n;
} cell_parts;

/* Splits a cell. Leaves out parts that are only blanks and comments. A line that begins with # is a
 * comment if it is no directive and no C++ follows before the next magic or shell line. is_magic
 * knows the line magics' names. The parts point into code. Returns false when memory runs out. */
bool cell_split(const char *code, size_t len, bool (*is_magic)(const char *name, size_t len),
                cell_parts *parts);
void cell_parts_free(cell_parts *parts);
/* Parts that are freed where their block ends. */
#define SCOPED_PARTS __attribute__((cleanup(cell_parts_free)))

/* Returns "complete", "incomplete" or "invalid" for a whole cell; "unknown": out of memory. */
const char *cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size);

/* Returns the part's C++ after line - 1 newlines, so that its lines have the cell's numbers.
 * malloc'd. */
char *cell_placed(const char *text, size_t len, int line);
