/* own_files.h: reads a cell's text and the user's headers that it includes, prepares them for the
 * parser and splits them, for own_headers.c. */
#pragma once

#include "runtime/cells/headers/directives.h"
#include "runtime/cells/headers/own_headers.h"

/* An #include of a user's header, text [start, end). */
typedef struct wb_own_include {
    size_t start, end, file;
    bool outside; /* it is at file scope, outside #if */
} wb_own_include;

typedef struct wb_own_body {
    char *text;
    size_t len;
    wb_split split;
    wb_directive *directives; /* n_directives, of `text` */
    size_t n_directives;
    wb_own_include *v; /* n */
    size_t n;
} wb_own_body;

typedef struct wb_own_file {
    char *path, *shown; /* see wb_own_header */
    wb_own_body body;
    uint64_t bytes; /* a hash of the file's bytes */
    bool once;
    bool plain; /* only declarations, as far as the parser can tell */
} wb_own_file;

/* A cell with all that it includes. */
typedef struct wb_own_files {
    wb_own_body cell;
    wb_own_file *v; /* each once, in order of first #include */
    size_t n;
} wb_own_files;

/* Reads the cell's text `code` and its headers, searched in the folders. Returns false if memory
 * runs out. Free with wb_own_files_free either way. */
bool wb_own_files_read(const wb_strings *folders, const char *code, size_t len,
                       const wb_splitting *how, wb_own_files *files);
void wb_own_files_free(wb_own_files *files);
