/* csv.h: reads comma-separated values as spreadsheets write them (RFC 4180; commas, semicolons or
 * tabs; a byte order mark). gr_csv_field of report/report.h writes them. */
#pragma once

#include "runtime/base/base.h"

typedef struct gr_csv_row {
    wb_strings fields;
    int line; /* where the row begins in the file */
} gr_csv_row;

typedef struct gr_csv {
    gr_csv_row *rows; /* without empty lines; the first row has the column titles */
    size_t n;
} gr_csv;

/* Returns false with "PATH:LINE: ..." if a quote is never closed or the text is not UTF-8. The
 * caller frees *csv in both cases. */
bool gr_csv_parse(const char *path, const char *text, size_t len, gr_csv *csv, wb_error *err);
void gr_csv_free(gr_csv *csv);
