/* names.h: a cell's name for the compiler, and its name for people.
 *
 * A cell is compiled under a name made from its content, "cell [0123456789abcdef]". So the cache
 * finds it whatever its number is now. Diagnostics, debug information and __FILE__ contain that
 * name. People see "cell [7]". */
#pragma once

#include <jansson.h>
#include "runtime/base/base.h"

enum { WB_NAMES_ID = 16 }; /* hexadecimal digits */

typedef struct wb_names wb_names;

wb_names *wb_names_new(void); /* NULL if memory runs out */
void wb_names_free(wb_names *names);
/* Gives the cell with that content this number from now on. */
void wb_names_add(wb_names *names, const char *id, int number);

/* Appends a cell's output with the cells' numbers in it. */
void wb_names_append(const wb_names *names, wb_buf *out, const char *text, size_t len);
/* Replaces the names by numbers in a malloc'd text. NULL is fine. */
void wb_names_text(const wb_names *names, char **text);
/* Replaces the names in every string of a JSON value, and takes it over. A new reference or
 * NULL. */
json_t *wb_names_json(const wb_names *names, json_t *value);
/* Returns how many bytes at the text's end may be an incomplete name. */
size_t wb_names_open(const char *text, size_t len);
