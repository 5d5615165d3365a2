/* table.h: tables as text and as HTML. */
#ifndef WARPBOOK_KERNEL_TABLE_H
#define WARPBOOK_KERNEL_TABLE_H

#include <jansson.h>
#include "runtime/base/base.h"

/* titles: array of strings. rows: array of arrays of strings, as long as titles. align: a letter a
 * column, 'l' or 'r'. */

/* Appends the table in columns of monospaced text. */
void table_text(wb_buf *out, const json_t *titles, const json_t *rows, const char *align);
/* Appends an HTML table that follows the front end's own style. */
void table_html(wb_buf *out, const json_t *titles, const json_t *rows, const char *align);
/* Appends text with &, <, >, " escaped. */
void table_escape(wb_buf *out, const char *text);
/* A MIME bundle of both renderings, each wrapped in `before` and `after` lines of plain words
 * (either may be ""). */
json_t *table_bundle(const json_t *titles, const json_t *rows, const char *align,
                     const char *before, const char *after);
/* A MIME bundle of plain text alone; text may not be UTF-8, then it is made so. */
json_t *table_plain(const char *text);

#endif
