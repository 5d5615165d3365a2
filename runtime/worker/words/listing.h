/* listing.h: the text of the cells that ran and of the headers that they included, so that messages
 * can quote lines. */
#pragma once

#include <jansson.h>
#include <stddef.h>

typedef struct wb_listing wb_listing;
wb_listing *wb_listing_new(void);
void wb_listing_free(wb_listing *listing);
/* Adds the text of "cell [3]" or "lib/timer.h". It replaces an earlier text of that name. */
void wb_listing_add(wb_listing *listing, const char *name, const char *text, size_t len);
/* Returns the listed name of a file, or of a header with the same last part. NULL: none. */
const char *wb_listing_name(const wb_listing *listing, const char *file);
/* Returns the length of the listed name at the start of the text, or 0. */
size_t wb_listing_begins(const wb_listing *listing, const char *text);
/* Returns the text of a listed file, borrowed, or NULL. */
const char *wb_listing_text(const wb_listing *listing, const char *file);
/* Returns the last directive that defines the macro, in the file listed last, with the text after
 * it; borrowed, or NULL. */
const char *wb_listing_define(const wb_listing *listing, const char *name, size_t len);
/* Returns a line (from 1) of a listed file, malloc'd without its newline, or NULL. */
char *wb_listing_line(const wb_listing *listing, const char *file, int line);
/* Adds "text" to the lines for which softgpu's report has shares or counts. Adds "sources" with the
 * text of their files by name. */
void wb_listing_quote(const wb_listing *listing, json_t *report);
