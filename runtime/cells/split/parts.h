/* parts.h: shared by split.c, nodes.c, use.c and declare/; other files must not include it. */
#pragma once

#include <tree_sitter/api.h>
#include "runtime/cells/split/split.h"

/* A macro that declares something, code [start, start + len), and its expansion. */
typedef struct split_macro {
    size_t start, len;
    char *text;
} split_macro;

/* The lambda that the present declaration gives to a variable, so that later cells can have its
 * type (declare/closure.c); null if there is none. */
typedef struct split_closure {
    TSNode lambda;
    bool good, by_reference;
    bool device;     /* a device lambda */
    bool as_class;   /* written as the class that it stands for */
    char **captures; /* n captures as compiled: "k = ::k", "&n = ::n" */
    size_t n;
} split_closure;

typedef struct splitter {
    const char *code;
    size_t len;
    TSParser *parser;
    wb_split *out;
    wb_splitting how;
    split_macro *macros; /* n_macros, ascending */
    size_t n_macros;
    char *view;  /* the code for the parser, of the same length */
    int pack[8]; /* the present #pragma pack, and those that were pushed */
    size_t n_pack;
    split_closure closure;
    bool failed; /* memory ran out */
} splitter;

/* The namespaces and linkage blocks around a declaration. */
typedef struct place {
    const char *open, *close, *scope;
} place;

/* Returns the tree of a text by itself, or NULL. */
TSTree *node_parse(const char *code, size_t len);
/* A null node has no type, no field and an empty text. */
bool node_is(TSNode node, const char *type);
bool node_is_one(TSNode node, const char *types); /* types: separated by blanks */
wb_span node_text(const splitter *s, TSNode node);
char *node_copy(const splitter *s, TSNode node);
char *node_edited(const splitter *s, TSNode node); /* with the edits so far */
uint32_t node_count(TSNode node);                  /* of children */
TSNode node_field(TSNode node, const char *name);
bool node_has(TSNode node, const char *type); /* among its children */
/* Returns true if `test` says so of the node, or of a node below those of which it says
 * NODE_INSIDE. The other does the same without the node itself. */
typedef enum node_answer { NODE_NO, NODE_INSIDE, NODE_YES } node_answer;
typedef node_answer node_test(const splitter *s, TSNode node);
bool node_any(const splitter *s, TSNode node, node_test *test);
bool node_any_below(const splitter *s, TSNode node, node_test *test);
void split_edit(splitter *s, size_t at, size_t len, const char *with);
/* before other edits at that place */
void split_edit_first(splitter *s, size_t at, const char *with);
/* Appends the code [start, end) with the edits so far. */
void split_edited(const splitter *s, wb_buf *out, size_t start, size_t end);

bool split_has_error(TSNode node);
bool split_is_statement(TSNode node);

/* The words before a declarator. */
typedef struct words {
    bool is_static, is_inline, is_extern, is_const, is_constexpr, is_thread;
    bool device, global, host, constant, managed, shared;
    bool external;                         /* an edit put "extern" before it */
    TSNode storage_static, storage_inline; /* to be blanked */
} words;

bool declare_word_is(const splitter *s, TSNode node, const char *word);
/* Returns the declarator inside a declarator; a null node at the end. */
TSNode declare_inner(TSNode declarator);
bool declare_is_declarator(TSNode declaration, uint32_t child);
/* Returns this cell's newest entity of that name, or NULL. */
const wb_entity *declare_known(const splitter *s, const char *name, size_t len);
int declare_ask(const splitter *s, const char *name, size_t len); /* see wb_split_ask */
words declare_words(const splitter *s, TSNode node);
/* Replaces the node's text in the cell by blanks. A null node is fine. */
void declare_blank(splitter *s, TSNode node);
/* Makes every run of blanks one blank, in place, for keys and signatures. NULL stays NULL. */
char *declare_squeeze(char *text);
/* Also removes blanks beside signs: "float * p" and "float *p" become one. */
char *declare_squeeze_types(char *text);
/* Adds an entity and takes over its strings. Returns it, or NULL if memory runs out. */
wb_entity *declare_entity(splitter *s, wb_entity e, TSNode node, place where);
/* Does the same for an entity that has its place. */
wb_entity *declare_add(splitter *s, wb_entity e);

/* Returns the function_declarator inside pointers and references; null for no function. */
TSNode declare_find_function(TSNode node);
/* Returns true for "T v(n);" and "T v(n * m);": functions to the parser, variables if n is one. */
bool declare_is_vexing(const splitter *s, TSNode function);
typedef enum name_kind { UNKNOWN, TYPE, VALUE } name_kind;
/* Returns what the name stands for in this cell or an earlier one. */
name_kind declare_means(const splitter *s, TSNode name);
/* Returns "a::C::b" for "::a::C<int>::b", malloc'd. */
char *declare_plain_name(const splitter *s, TSNode name);

/* ---- statement or declaration (declare/reading.c) ---- */

/* Returns true if C++ reads the grammar's declaration as a statement: "n * d;" and "f(a), g(b);"
 * where n and f are values. */
bool declare_is_statement(const splitter *s, TSNode node);
/* Returns true for "n * d" without a semicolon, which is shown unless n is known as a type. */
bool declare_is_expression(const splitter *s, TSNode node);
/* Returns true if C++ reads the grammar's statement as a declaration, "T(x) = 3;", and writes it
 * into the view as "T x  = 3;". */
bool declare_as_variable(splitter *s, TSNode node);
/* Records a guess if the reading of `node` depends on a name that only the compiler knows. */
void declare_note_guess(splitter *s, TSNode node);
/* `node` is the function_definition or the declaration; `outer` includes its template head. */
void declare_function(splitter *s, TSNode node, TSNode outer, TSNode function, place where);

/* Returns the variable's name after the prefix, with a hash of the node's text; malloc'd. */
char *declare_hashed(const splitter *s, const char *prefix, const char *variable, TSNode node);
/* Names the type of "struct { ... } variable" by an edit. malloc'd; NULL: it has a name. */
char *declare_unnamed(splitter *s, TSNode type, TSNode variable);
/* Returns the end of a type's head, "struct S" or "struct": before ": base" or "{". */
size_t declare_type_head(TSNode type);

/* Returns the cell's text for the parser, malloc'd. */
char *declare_view(splitter *s);
void declare_view_blank(char *from, const char *to);
/* Rewrites top-level pointers to functions, arrays and members for the grammar. */
void declare_pointers(const splitter *s, char *view);

/* Find the top-level macros that declare something and write ';' for each into the view; return the
 * one at a place, or NULL; declare what one declares. */
void declare_find_macros(splitter *s, char *view);
const split_macro *declare_macro_at(const splitter *s, size_t at);
void declare_macro(splitter *s, const split_macro *m, int line);

/* Hides an entity that later cells would repeat, if it keeps state on the device. */
void declare_hide_device_state(const splitter *s, wb_entity *e, TSNode node);
/* Does the same for a body that runs on the device. */
void declare_hide_device_statics(const splitter *s, wb_entity *e, TSNode body);

/* Blanks the marks in "[] __device__ (int i) { }", which the grammar does not know. */
void declare_blank_marks(char *code, size_t len);
/* Returns true if `word`, __device__ or __host__, is between captures and parameters. */
bool declare_lambda_is(const splitter *s, TSNode lambda, const char *word);
node_answer declare_is_device_lambda(const splitter *s, TSNode node);
/* Puts a variable's initialiser into a function if it has a device lambda. */
void declare_give_function(splitter *s, TSNode item);
/* Record the lambda that an item of the cell gives to a variable, and its captures. */
void declare_closure_begin(splitter *s, TSNode item);
void declare_closure_capture(splitter *s, const char *text, size_t len);
/* Declares the lambda's type if the declarator is that variable's. `w` are the words before it. */
bool declare_closure(splitter *s, TSNode item, TSNode declarator, const words *w, place where);
/* Rewrites the captures of an item's lambdas, before the item is declared. */
void declare_lambdas(splitter *s, TSNode item);

/* Declares an #if ... #endif, of which `inner` has what is inside. Frees `inner`. */
void declare_conditional(splitter *s, TSNode node, wb_split *inner, place where);
/* Handles a directive of the preprocessor; returns false if node is none. The other adds a text
 * that later cells always repeat. */
bool declare_directive(splitter *s, TSNode node, place where);
void declare_always(splitter *s, TSNode node, place where);
/* Returns true if a function inside #if ... #endif has a static variable. */
bool declare_keeps_inside_if(const splitter *s, TSNode node);

/* Declares what `node` makes known. Returns false for a statement. */
bool declare(splitter *s, TSNode node, place where);
