/* table.h: a table of text, built cell by cell, shown as aligned plain text or as HTML. */
#ifndef WARPBOOK_MEASURE_TABLE_H
#define WARPBOOK_MEASURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wb_table wb_table;

/* NULL when memory runs out; every function below accepts NULL and does nothing, and a table that
 * ran out of memory gives NULL at the end, so that one check there is enough. */
wb_table *wb_table_new(void);
void wb_table_free(wb_table *table);

/* Adds a column; all columns come before the first row. Numbers stand to the right. */
void wb_table_column(wb_table *table, const char *title, bool right);
/* Begins a row; missing cells at its end are empty. A rule is drawn above it where asked. */
void wb_table_row(wb_table *table, bool rule_above);
/* Marks the current row (the reference): bold in HTML. */
void wb_table_mark(wb_table *table);
/* Fills the row's next cell; UTF-8. */
void wb_table_cell(wb_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What follows is of the cell that was filled last. Colours are those that every kind of colour
 * vision can tell apart, and see-through, so that they suit light and dark pages; plain text has
 * none of them: they repeat what the cell's words say. */
typedef enum wb_hue { WB_ORANGE, WB_BLUE, WB_GREEN } wb_hue;

/* Colours it, the more the nearer `strength` is to 1. */
void wb_table_tint(wb_table *table, wb_hue hue, double strength);
/* Puts a bar before its text, of so much of a full one (0 to 1); in plain text, too. */
void wb_table_bar(wb_table *table, wb_hue hue, double share);
/* It is code: its blanks stay, its columns are even, and its line does not wrap. */
void wb_table_code(wb_table *table);

/* It is what the reader looks for: large in HTML. */
void wb_table_large(wb_table *table);

/* Columns padded to their widest cell, two blanks apart; the caller frees. */
char *wb_table_text(const wb_table *table);
/* One <table class="warpbook">, text escaped, alignment inline; the caller frees. */
char *wb_table_html(const wb_table *table);

/* Columns a terminal needs for `text` (UTF-8): East Asian wide characters take two. */
size_t wb_table_width(const char *text);

#endif
