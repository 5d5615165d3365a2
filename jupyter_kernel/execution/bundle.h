/* bundle.h: the kernel's own MIME bundles. Functions return new references, or NULL when memory
 * runs out. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"
#include "runtime/measure/table.h"

/* Returns text/plain alone. Bytes that are not UTF-8 are replaced. */
json_t *bundle_text(const char *text);
/* Likewise of Markdown, with it as text/markdown. A terminal gets no stars of emphasis. */
json_t *bundle_markdown(const char *markdown);

/* A display that is put together part by part. Initialize it with zeroes. */
typedef struct bundle_page {
    wb_buf text, html;
    bool folded;
} bundle_page;

/* Appends a paragraph. Appends nothing if `words` is empty. */
void bundle_words(bundle_page *page, const char *words);
/* Appends the table and frees it; NULL appends nothing. */
void bundle_rows(bundle_page *page, wb_table *table);
/* Puts everything that follows into a closed <details>, and leaves it out of text/plain. */
void bundle_fold(bundle_page *page, const char *summary);
/* Returns the bundle and frees the page's parts. */
json_t *bundle_page_done(bundle_page *page);

/* Returns the table as text/plain and text/html, between two paragraphs. Either may be "". */
json_t *bundle_table(const wb_table *table, const char *before, const char *after);
