/* csv.h: comma-separated values, read as spreadsheets write them (RFC 4180; commas, semicolons or
 * tabs; a mark before UTF-8). How they are written: gr_csv_field of report/report.h. */
#ifndef GRADER_BOOK_CSV_H
#define GRADER_BOOK_CSV_H

#include "runtime/base/base.h"

typedef struct gr_csv_row {
    wb_strings fields;
    int line; /* where it begins in the file */
} gr_csv_row;

typedef struct gr_csv {
    gr_csv_row *rows; /* without empty lines; the first holds the names of the columns */
    size_t n;
} gr_csv;

/* False with "PATH:LINE: ..." where a quote is never closed or the text is no UTF-8. What was read
 * is to be freed either way. */
bool gr_csv_parse(const char *path, const char *text, size_t len, gr_csv *csv, wb_error *err);
void gr_csv_free(gr_csv *csv);

#endif
