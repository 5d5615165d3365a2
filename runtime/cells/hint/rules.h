/* rules.h: shared by the hints' files: the quoted line, names in it, and rules for cases that the
 * table's patterns can't decide. A wb_hint_* function of the table gets the hint with kind, name
 * and line. It may change them, and returns false if the row does not match. */
#pragma once

#include "runtime/cells/hint/hint.h"

typedef struct wb_piece {
    const char *text;
    size_t len;
} wb_piece;

#define WB_PIECE(string) ((wb_piece){string, strlen(string)})
/* Returns the identifier at `text`. */
wb_piece wb_piece_word(const char *text);
/* Returns the line without blanks around it. */
wb_piece wb_piece_line(const char *text);
/* Returns the name, "a::b", that ends before `end`, without blanks and template arguments. */
wb_piece wb_piece_before(const char *start, const char *end);
void wb_hint_copy(char to[160], wb_piece from);

/* Returns the start of line `number` of the code, counted from 1. */
const char *wb_hint_line(const char *code, int number);
/* Return the error's line, and the place of the caret in it: the first character if the compiler
 * quotes no line. */
wb_piece wb_hint_source(const wb_hint_question *q);
const char *wb_hint_caret(const wb_hint_question *q);

/* Returns the entity of that name in this cell (*cell is 0) or in the earlier cell *cell. */
const wb_entity *wb_hint_entity(const wb_hint_question *q, const char *name, int *cell);
/* Calls f with each std:: name that a header of the table has, or with each header. */
void wb_hint_library(void (*f)(void *ctx, const char *name, size_t len), void *ctx, bool headers);

typedef bool wb_hint_rule(const wb_hint_question *q, wb_hint *hint);
/* hint.c and lines.c */
wb_hint_rule wb_hint_hash, wb_hint_magic, wb_hint_index, wb_hint_quote, wb_hint_class,
    wb_hint_parenthesis, wb_hint_semicolon;
/* notebook.c */
wb_hint_rule wb_hint_kernel, wb_hint_undefined, wb_hint_program, wb_hint_anew, wb_hint_hidden,
    wb_hint_aside, wb_hint_declared, wb_hint_runtime, wb_hint_function, wb_hint_caller,
    wb_hint_variable, wb_hint_assigned;
/* expressions.c */
wb_hint_rule wb_hint_keyword, wb_hint_reserved, wb_hint_plain, wb_hint_called, wb_hint_first,
    wb_hint_object, wb_hint_power, wb_hint_name_here, wb_hint_known, wb_hint_digit,
    wb_hint_class_name, wb_hint_scalar, wb_hint_indirect, wb_hint_argument;
/* include.c and names.c */
wb_hint_rule wb_hint_include, wb_hint_std, wb_hint_header, wb_hint_local, wb_hint_name,
    wb_hint_member;
