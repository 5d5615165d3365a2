/* own_headers.h: headers of the user's own. `#include "timer.h"` in a cell stands for the header's
 * text: what it defines is the cell's, so that its variables, and what its functions keep, exist
 * once in the notebook, and later cells know its names. Headers of the system, the toolkit and ours
 * stay #include lines; so does a header that can't be taken apart (own_headers.c says when). */
#ifndef WARPBOOK_CELLS_OWN_HEADERS_H
#define WARPBOOK_CELLS_OWN_HEADERS_H

#include "runtime/cells/live/live.h"

/* A header that the notebook has taken in. */
typedef struct wb_own_header {
    char *path, *shown; /* the file; as #line and messages name it */
    uint64_t content;   /* of it and of the user's headers that it includes */
    uint64_t origin;    /* of the notebook's cell that took it in; 0: not known */
    size_t cell;        /* as in wb_live_entity */
    size_t usable;      /* how many entities later cells could use then */
    bool once;          /* it has an include guard */
    bool whole;         /* it is an #include line after all */
} wb_own_header;

/* What a notebook knows of them. All-zero: nothing yet. */
typedef struct wb_own_headers {
    wb_strings folders; /* where they are looked for, in order; the first is not said in names */
    wb_own_header *v;
    size_t n;
} wb_own_headers;

/* The folders of a notebook: `cwd`, behind those of the -I flags. False when memory ran out. */
bool wb_own_headers_folders(wb_own_headers *own, const char *cwd, const char *const *flags);
void wb_own_headers_free(wb_own_headers *own);

/* From byte `at` on, the text is `file`'s (NULL: the cell's), from its line `line` on. */
typedef struct wb_piece {
    size_t at;
    const char *file; /* of a header of the text */
    int line;
} wb_piece;

/* A cell's text with its headers in their places. */
typedef struct wb_text {
    char *code;
    size_t len;
    wb_piece *pieces; /* n_pieces, ascending; the first is at 0 */
    size_t n_pieces;
    wb_own_header *headers; /* n_headers that it takes in, or leaves whole */
    size_t n_headers;
    char *warning; /* of variables in those left whole, a sentence a line; NULL: none */
} wb_text;

/* How cells are split, for headers are as well (wb_split_cell's arguments). */
typedef struct wb_splitting {
    wb_split_ask ask;
    wb_split_macro macro;
    void *ctx;
} wb_splitting;

/* The cell's text with its headers in their places, what is known of its conditionals folded
 * (directives.h) and its specifiers in full (specifiers.h). A guarded header that another cell
 * has taken in is not taken in again, as in one translation unit; unless it has changed since, or
 * something of it is no longer there, or the cell defines a macro that it uses. False when memory
 * ran out or the cell mixes what can't be mixed: err says. Free with wb_text_free either way. */
bool wb_text_expand(const wb_own_headers *own, const wb_live *live, const char *code, size_t len,
                    const wb_splitting *how, wb_text *text, wb_error *err);
/* The text as it is, all of it the cell's. False when memory ran out. */
bool wb_text_plain(const char *code, size_t len, wb_text *text);
void wb_text_free(wb_text *text);
/* Sets the places of what `split` found in the text. False when memory ran out. */
bool wb_text_name(const wb_text *text, wb_split *split);

/* The text's cell is live, as `cell`: so are its headers, which move over. */
bool wb_own_headers_accept(wb_own_headers *own, wb_text *text, const wb_live *live, size_t cell);

#endif
