/* parts.h: what split.c and declare*.c share; nobody else includes it. */
#ifndef WARPBOOK_CELLS_SPLIT_PARTS_H
#define WARPBOOK_CELLS_SPLIT_PARTS_H

#include <tree_sitter/api.h>
#include "runtime/cells/split/split.h"

/* A macro that declares something, code [start, start + len), and what it expands to. */
typedef struct split_macro {
    size_t start, len;
    char *text;
} split_macro;

/* The lambda that the declaration being taken in gives a variable, where later cells can have its
 * type (declare_closure.c); null: it is no such declaration. */
typedef struct split_closure {
    TSNode lambda;
    bool good, by_reference;
    bool device;     /* it runs there */
    bool as_class;   /* it is written as the class that it stands for */
    char **captures; /* n, as they are compiled: "k = ::k", "&n = ::n" */
    size_t n;
} split_closure;

typedef struct splitter {
    const char *code;
    size_t len;
    TSParser *parser;
    wb_split *out;
    wb_split_ask ask;
    wb_split_macro macro;
    void *ctx;
    split_macro *macros; /* n_macros, ascending */
    size_t n_macros;
    char *view;  /* the code as it is parsed: of the same length */
    int pack[8]; /* what #pragma pack said last, and what was pushed before it */
    size_t n_pack;
    split_closure closure;
    bool failed; /* memory ran out */
} splitter;

/* Where a declaration stands: inside which namespaces and linkage blocks. */
typedef struct place {
    const char *open, *close, *scope;
} place;

/* A node that is not there (a null node) is of no type, has no field and an empty text. */
bool node_is(TSNode node, const char *type);
bool node_is_one(TSNode node, const char *types); /* types: a blank between two */
const char *node_text(const splitter *s, TSNode node, size_t *len);
char *node_copy(const splitter *s, TSNode node);
TSNode node_field(TSNode node, const char *name);
void split_edit(splitter *s, size_t at, size_t len, const char *with);
void split_edit_first(splitter *s, size_t at, const char *with); /* before others at that place */
/* Appends the code [start, end) with the edits that were made so far. */
void split_edited(const splitter *s, wb_buf *out, size_t start, size_t end);

bool split_has_error(TSNode node);
bool split_is_statement(TSNode node);

/* The words that stand before a declarator. */
typedef struct words {
    bool is_static, is_inline, is_extern, is_const, is_constexpr, is_thread;
    bool device, global, host, constant, managed, shared;
    bool external;                         /* "extern" was put before it */
    TSNode storage_static, storage_inline; /* to be blanked */
} words;

bool declare_word_is(const splitter *s, TSNode node, const char *word);
words declare_words(const splitter *s, TSNode node);
/* Puts blanks in place of the node's text in the cell; a null node is fine. */
void declare_blank(splitter *s, TSNode node);
/* Text, in place, with every run of blanks as one, for keys and signatures; NULL stays NULL. */
char *declare_squeeze(char *text);
/* And no blank is left beside a sign: "float * p" and "float *p" are one. */
char *declare_squeeze_types(char *text);
/* Adds an entity that takes over the strings; returns it, or NULL when memory ran out. */
wb_entity *declare_entity(splitter *s, wb_entity e, TSNode node, place where);
/* The same for an entity that knows where it stands. */
wb_entity *declare_add(splitter *s, wb_entity e);

/* The function_declarator inside pointers and references; null when `node` declares no function. */
TSNode declare_find_function(TSNode node);
/* "T v(n);" and "T v(n * m);" parse as functions; they are variables when n is one. */
bool declare_is_vexing(const splitter *s, TSNode function);
typedef enum name_kind { UNKNOWN, TYPE, VALUE } name_kind;
/* Returns what the name stands for in this cell or an earlier one. */
name_kind declare_means(const splitter *s, TSNode name);
/* "::a::C<int>::b" as "a::C::b", malloc'd. */
char *declare_plain_name(const splitter *s, TSNode name);

/* ---- statement or declaration (declare_reading.c) ---- */

/* Returns true for a declaration of the grammar's that C++ reads as a statement: "n * d;" and
 * "f(a), g(b);" where n and f are values. */
bool declare_is_statement(const splitter *s, TSNode node);
/* Returns true for "n * d" without a semicolon, which is shown unless n is known as a type. */
bool declare_is_expression(const splitter *s, TSNode node);
/* Returns true for a statement of the grammar's that C++ reads as a declaration, "T(x) = 3;", and
 * writes it into the view as "T x  = 3;". */
bool declare_as_variable(splitter *s, TSNode node);
/* Notes the guess if the reading of `node` hangs on a name that only the compiler knows. */
void declare_note_guess(splitter *s, TSNode node);
/* `node` is the function_definition or the declaration, `outer` the same with its template head. */
void declare_function(splitter *s, TSNode node, TSNode outer, TSNode function, place where);

/* Names the type of "struct { ... } variable" by an edit. malloc'd; NULL: it has a name. */
char *declare_unnamed(splitter *s, TSNode type, TSNode variable);
/* Where the head of a type with a body ends, "struct S" or "struct": before ": base" or "{". */
size_t declare_type_head(TSNode type);

/* The cell as it is parsed, malloc'd. */
char *declare_view(splitter *s);
void declare_view_blank(char *from, const char *to);
/* Pointers to functions, arrays and members at the top of the cell, as the grammar knows them. */
void declare_pointers(const splitter *s, char *view);

/* Notes the macros at the top of the cell that declare something, and writes ';' for each into the
 * view; the one at a place, or NULL; takes in what one declares. */
void declare_find_macros(splitter *s, char *view);
const split_macro *declare_macro_at(const splitter *s, size_t at);
void declare_macro(splitter *s, const split_macro *m, int line);

/* Hides what later cells would repeat, where it keeps something on the device. */
void declare_hide_device_state(const splitter *s, wb_entity *e, TSNode node);
/* The same, of a body that runs on the device. */
void declare_hide_device_statics(const splitter *s, wb_entity *e, TSNode body);

/* The grammar has no word for "[] __device__ (int i) { }": blanks in place of such marks. */
void declare_blank_marks(char *code, size_t len);
/* Whether `word`, __device__ or __host__, stands between captures and parameters. */
bool declare_lambda_is(const splitter *s, TSNode lambda, const char *word);
/* Where an item of the cell starts its variable with one for the device, gives that a function. */
void declare_give_function(splitter *s, TSNode item);
/* Notes the lambda that an item of the cell gives a variable, and then what it captures. */
void declare_closure_begin(splitter *s, TSNode item);
void declare_closure_capture(splitter *s, const char *text, size_t len);
/* Makes its type known, if the declarator is that variable's; `w` are the words before it. */
bool declare_closure(splitter *s, TSNode item, TSNode declarator, const words *w, place where);
/* Edits what the lambdas of an item of the cell capture, before the item is declared. */
void declare_lambdas(splitter *s, TSNode item);

/* Declares what stands inside #if ... #endif. */
void declare_conditional(splitter *s, TSNode node, place where);
/* Whether a function inside #if ... #endif, which is repeated whole, has a static variable. */
bool declare_keeps_inside_if(const splitter *s, TSNode node);

/* Notes what the declaration `node` makes known. True when it was one; false for a statement. */
bool declare(splitter *s, TSNode node, place where);

#endif
