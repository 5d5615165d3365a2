/* table.h: a table of text, built cell by cell, shown as aligned plain text or as HTML. */
#pragma once

#include "runtime/base/base.h"

typedef struct wb_table wb_table;

/* Returns NULL without memory. Every function below accepts NULL and does nothing. A table that ran
 * out of memory returns NULL at the end, so one check there suffices. */
wb_table *wb_table_new(void);
void wb_table_free(wb_table *table);

/* Adds a column. Add all columns before the first row. `right`: right-aligned, for numbers. */
void wb_table_column(wb_table *table, const char *title, bool right);
/* Adds a column for each letter of `sides`, l or r, with the titles that follow. */
void wb_table_columns(wb_table *table, const char *sides, ...);
/* Begins a row. Missing cells at its end are empty. rule_above draws a line above it. */
void wb_table_row(wb_table *table, bool rule_above);
/* Marks the current row (the reference): bold in HTML. */
void wb_table_mark(wb_table *table);
/* Fills the row's next cell with UTF-8 text. */
void wb_table_cell(wb_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fills a cell with each of the texts. NULL: an empty one. */
#define wb_table_texts(table, ...)                                                                 \
    wb_table_cells(table, (const char *const[]){__VA_ARGS__},                                      \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void wb_table_cells(wb_table *table, const char *const *texts, size_t n);

/* The functions below change the last filled cell. The colours are distinct for every kind of
 * colour vision, and transparent for light and dark pages. Plain text omits them: they only repeat
 * what the text says. */
typedef enum wb_hue { WB_ORANGE, WB_BLUE, WB_GREEN } wb_hue;

/* Colours the cell; a `strength` near 1 is strongest. */
void wb_table_tint(wb_table *table, wb_hue hue, double strength);
/* Draws a bar before the text, `share` (0 to 1) of a full one; in plain text too. */
void wb_table_bar(wb_table *table, wb_hue hue, double share);
/* Shows the cell as code: blanks stay, letters have equal widths, and the line does not wrap. */
void wb_table_code(wb_table *table);

/* Shows the cell large in HTML, as the main result. */
void wb_table_large(wb_table *table);

/* Returns columns padded to their widest cell, two blanks apart. The caller frees the result. */
char *wb_table_text(const wb_table *table);
/* Returns one <table class="warpbook">, text escaped, alignment inline. The caller frees the
 * result. */
char *wb_table_html(const wb_table *table);

/* Returns the terminal columns of `text` (UTF-8). East Asian wide characters take two. */
size_t wb_table_width(const char *text);
/* Appends a bar of eighths of a column. */
void wb_table_blocks(wb_buf *out, int eighths);
