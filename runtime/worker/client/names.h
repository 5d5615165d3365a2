/* names.h: the names cells have for the compiler, and for people.
 *
 * A cell is compiled under a name made of its content, "cell [0123456789abcdef]", so that the same
 * cell comes out of the cache whatever its number is now. Its code says that name wherever it tells
 * where something is: in diagnostics, debug information, __FILE__. People know it as "cell [7]". */
#ifndef WARPBOOK_WORKER_NAMES_H
#define WARPBOOK_WORKER_NAMES_H

#include <jansson.h>
#include "runtime/base/base.h"

enum { WB_NAMES_ID = 16 }; /* hexadecimal digits */

typedef struct wb_names wb_names;

wb_names *wb_names_new(void); /* NULL when memory runs out */
void wb_names_free(wb_names *names);
/* From now on the cell of that content is known by this number. */
void wb_names_add(wb_names *names, const char *id, int number);

/* Appends what a cell printed as people read it. */
void wb_names_append(const wb_names *names, wb_buf *out, const char *text, size_t len);
/* The numbers in place (malloc'd text; NULL is fine). */
void wb_names_text(const wb_names *names, char **text);
/* The same for every string in a JSON value. The value: stolen; a new reference or NULL. */
json_t *wb_names_json(const wb_names *names, json_t *value);
/* How many bytes at the text's end may be the beginning of a name that goes on. */
size_t wb_names_open(const char *text, size_t len);

#endif
