/* own_headers.h: the user's own headers. `#include "timer.h"` in a cell means the header's
 * text. Its definitions become the cell's, so its variables exist once in the notebook, and later
 * cells know its names. Headers of the system, the toolkit and ours stay #include lines, and so do
 * headers that can't be taken apart (see own_headers.c). */
#pragma once

#include "runtime/cells/live/live.h"

/* A header that the notebook has taken in. */
typedef struct wb_own_header {
    char *path, *shown; /* the file's path, and its name for #line and messages */
    uint64_t content;   /* hash of it and of the user's headers that it includes */
    uint64_t origin;    /* origin of the cell that took it in; 0: unknown */
    size_t cell;        /* as in wb_live_entity */
    size_t usable;      /* number of its entities that later cells could use at first */
    bool once;          /* it has an include guard */
    bool whole;         /* it stays an #include line */
} wb_own_header;

/* The notebook's own headers. All-zero: none yet. */
typedef struct wb_own_headers {
    wb_strings folders; /* search order; names omit the first */
    wb_own_header *v;
    size_t n;
} wb_own_headers;

/* Sets the folders: `cwd`, then those of the -I flags. Returns false if memory runs out. */
bool wb_own_headers_folders(wb_own_headers *own, const char *cwd, const char *const *flags);
void wb_own_headers_free(wb_own_headers *own);

/* From byte `at` on, the text belongs to `file` (NULL: the cell), from its line `line` on. */
typedef struct wb_piece {
    size_t at;
    const char *file; /* borrowed from a header of the text */
    int line;
} wb_piece;

/* A cell's text with its headers inserted. */
typedef struct wb_text {
    char *code;
    size_t len;
    wb_piece *pieces; /* n_pieces, ascending; the first is at 0 */
    size_t n_pieces;
    wb_own_header *headers; /* n_headers that it takes in, or leaves whole */
    size_t n_headers;
    char *warning; /* warns of variables in headers left whole, one sentence a line; or NULL */
} wb_text;

/* Makes the cell's text with its headers inserted, known conditionals folded (directives.h) and
 * specifiers expanded (specifiers.h). A guarded header that another cell took in is not inserted
 * again, as in one translation unit, unless it has changed since, something of it was lost, or the
 * cell defines a macro that it uses. Returns false if memory runs out or the cell mixes what can't
 * be mixed; err says what. Free with wb_text_free either way. */
bool wb_text_expand(const wb_own_headers *own, const wb_live *live, const char *code, size_t len,
                    const wb_splitting *how, wb_text *text, wb_error *err);
/* Makes a text without headers. Returns false if memory runs out. */
bool wb_text_plain(const char *code, size_t len, wb_text *text);
void wb_text_free(wb_text *text);
/* Sets the places of what `split` found in the text. Returns false if memory runs out. */
bool wb_text_name(const wb_text *text, wb_split *split);

/* Moves the text's headers to the notebook's. `cell` is the index of the text's live cell. */
bool wb_own_headers_accept(wb_own_headers *own, wb_text *text, const wb_live *live, size_t cell);
