/* rules.h: what the files of the hints share: the quoted line, names in it, and what decides where
 * the table's patterns do not. A wb_hint_* function of the table gets the hint with its kind, name
 * and line, may change them, and returns false if the row does not fit. */
#ifndef WARPBOOK_CELLS_RULES_H
#define WARPBOOK_CELLS_RULES_H

#include "runtime/cells/hint/hint.h"

typedef struct wb_piece {
    const char *text;
    size_t len;
} wb_piece;

#define WB_PIECE(string) ((wb_piece){string, strlen(string)})
bool wb_piece_is(wb_piece piece, const char *word);
/* The identifier that begins at `text`. */
wb_piece wb_piece_word(const char *text);
/* The first and last byte that are not blank, and what is between. */
wb_piece wb_piece_line(const char *text);
/* The name, "a::b", that ends before `end`, blanks and template arguments aside. */
wb_piece wb_piece_before(const char *start, const char *end);
void wb_hint_copy(char to[160], wb_piece from);

/* Returns the start of line `number` of the code, counted from 1. */
const char *wb_hint_line(const char *code, int number);
/* The line that the error is about, and where in it the caret points: to its first character if the
 * compiler quotes no line. */
wb_piece wb_hint_source(const wb_hint_question *q);
const char *wb_hint_caret(const wb_hint_question *q);

/* The entity of that name, of this cell or an earlier one, whose number is then *cell, else 0. */
const wb_entity *wb_hint_entity(const wb_hint_question *q, const char *name, int *cell);
/* Calls f with each name of std:: that a header of the table has, or with each header. */
void wb_hint_library(void (*f)(void *ctx, wb_piece name), void *ctx, bool headers);

typedef bool wb_hint_rule(const wb_hint_question *q, wb_hint *hint);
/* lines.c */
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

#endif
