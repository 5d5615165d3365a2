/* names.h: what differs from cell to cell in a compiler's arguments and in the headers' part of its
 * input, though it means the same: the cell's name, nvcc's names of temporary files, the module's
 * id, folders. A standby is given constant names of the same length (mangled names count letters),
 * and what its copies write gets the real ones again. */
#ifndef WARPBOOK_COMPILE_STANDBY_NAMES_H
#define WARPBOOK_COMPILE_STANDBY_NAMES_H

#include "runtime/base/base.h"

enum { MAX_NAMES = 6 };

typedef struct standby_names {
    struct {
        char *real, *constant;
        bool of_arguments; /* else of outputs alone */
    } v[MAX_NAMES];
    size_t n;
    char *cell;   /* "cell_0123456789abcdef.cu" */
    char *folder; /* the compilation's, where the program's files are */
    char *cwd;    /* where the program would have run */
    char *module; /* the constant id of the module */
} standby_names;

/* `input` is the program's, in `folder`; `module_id` what is to name the module. False: these are
 * not a cell's names. Freed either way. */
bool standby_names_find(standby_names *names, const char *cell, const char *folder, const char *cwd,
                        const char *input, const char *module_id);
void standby_names_free(standby_names *names);

/* An argument with constant names, and relative to `folder`; malloc'd. */
char *standby_names_hide(const standby_names *names, const char *argument);
/* Appends a line of what was preprocessed, `# 12 "file" 2`, with constant names. */
void standby_names_hide_line(const standby_names *names, wb_buf *to, const char *line, size_t len);
/* Whether anything had to be put back; `began` is where the program began. */
bool standby_names_show(const standby_names *names, const char *began, wb_buf *text);

#endif
