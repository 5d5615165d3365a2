/* listing.h: the text of the cells that ran, and of the headers that they took in, so that a
 * message can quote the line it speaks of. */
#ifndef WARPBOOK_LISTING_H
#define WARPBOOK_LISTING_H

#include <jansson.h>
#include <stddef.h>

typedef struct wb_listing wb_listing;
wb_listing *wb_listing_new(void);
void wb_listing_free(wb_listing *listing);
/* Adds the text of "cell [3]" or "lib/timer.h". It replaces an earlier text of that name. */
void wb_listing_add(wb_listing *listing, const char *name, const char *text, size_t len);
/* Returns the name of a listed file: its own, or a header's with that last part. NULL: none. */
const char *wb_listing_name(const wb_listing *listing, const char *file);
/* The length of the listed name that the text begins with; 0: it begins with none. */
size_t wb_listing_begins(const wb_listing *listing, const char *text);
/* The text of a listed file, borrowed; NULL: it is not listed. */
const char *wb_listing_text(const wb_listing *listing, const char *file);
/* The last directive that defines the macro, in the file listed last, and more text behind it;
 * borrowed; NULL: none does. */
const char *wb_listing_define(const wb_listing *listing, const char *name, size_t len);
/* Line `line` (from 1) of a listed file; malloc'd without its newline; NULL: no such line. */
char *wb_listing_line(const wb_listing *listing, const char *file, int line);
/* Puts the text of the lines that softgpu's report has shares or counts of beside them ("text"),
 * and the whole text of the files that they are of into the report: "sources", by their names. */
void wb_listing_quote(const wb_listing *listing, json_t *report);

#endif
