/* bundle.h: MIME bundles of what the kernel itself shows. New references; never NULL but when
 * memory runs out. */
#ifndef WARPBOOK_KERNEL_BUNDLE_H
#define WARPBOOK_KERNEL_BUNDLE_H

#include <jansson.h>

#include "runtime/base/base.h"
#include "runtime/measure/table.h"

/* text/plain alone; what is not UTF-8 is replaced. */
json_t *bundle_text(const char *text);

/* A display, put together part by part. It begins with zeroes. */
typedef struct bundle_page {
    wb_buf text, html;
    bool folded;
} bundle_page;

/* Appends a paragraph, or nothing where it is empty. */
void bundle_words(bundle_page *page, const char *words);
/* Appends the table and frees it; NULL appends nothing. */
void bundle_rows(bundle_page *page, wb_table *table);
/* From here on everything stands in a closed <details>, and not in text/plain. */
void bundle_fold(bundle_page *page, const char *summary);
/* Returns the bundle and frees the page's parts. */
json_t *bundle_page_done(bundle_page *page);

/* The table as text/plain and text/html, between lines of plain words (either may be ""). */
json_t *bundle_table(const wb_table *table, const char *before, const char *after);

#endif
