/* hint.h: advice on a compiler's error. kinds.inc is the table of mistakes. */
#pragma once

#include "runtime/cells/live/live.h"

typedef enum wb_hint_kind {
    WB_HINT_NONE,
#define HINT(kind, ...) WB_HINT_##kind,
#include "runtime/cells/hint/kinds.inc"
#undef HINT
} wb_hint_kind;

typedef struct wb_hint {
    wb_hint_kind kind;
    char name[160];  /* as the user wrote it */
    char other[160]; /* the intended name, a type, a header */
    int number;      /* the cell or the line that the sentence names */
    int line;        /* line of the mistake */
    bool last;       /* later errors follow from it */
} wb_hint;

typedef struct wb_hint_question {
    const wb_live *live; /* NULL: the error is in a file that nvcc compiles for the shell */
    const wb_split *own; /* what the cell defines itself, or NULL */
    const char *code;    /* the cell's text, or NULL */
    bool program;        /* the cell has a main, so it sees no other cell */
    const char *text;    /* the compiler's message */
    const char *excerpt; /* the quoted line with a caret below, or NULL */
    int line;            /* 0: unknown */
} wb_hint_question;

/* Returns false if there is nothing to add to the compiler's text. */
bool wb_hint_find(const wb_hint_question *question, wb_hint *hint);
/* Returns the kind's stable name: "MISSPELT". */
const char *wb_hint_kind_name(wb_hint_kind kind);
/* Returns the sentence in the user's language. The caller frees it. */
char *wb_hint_sentence(const wb_hint *hint);

/* Finds the name of a header's function with which a declaration is incompatible. Returns its
 * length, or 0 for another message. */
size_t wb_hint_library_name(const char *text, const char **name);
