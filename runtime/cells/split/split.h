/* split.h: takes a cell apart with a real parser (tree-sitter and its CUDA grammar): which parts
 * are declarations that stand at file scope as they are, which are statements to run, whether the
 * last is an expression to show, and what each declaration makes known to later cells. */
#ifndef WARPBOOK_CELLS_SPLIT_H
#define WARPBOOK_CELLS_SPLIT_H

#include "runtime/base/base.h"
#include "runtime/base/words.h"

typedef enum wb_entity_kind {
    WB_ENTITY_VARIABLE,        /* later cells: extern, with the type the compiler deduced */
    WB_ENTITY_DEVICE_VARIABLE, /* __device__, __constant__, __managed__ */
    WB_ENTITY_CONSTANT,        /* usable in constant expressions: its text again */
    WB_ENTITY_FUNCTION,        /* on the host: its prototype */
    WB_ENTITY_KERNEL,          /* its prototype; its launch stub is linked */
    WB_ENTITY_SOURCE_FUNCTION, /* __device__, constexpr, auto: its text again */
    WB_ENTITY_TYPE,
    WB_ENTITY_TEMPLATE,
    WB_ENTITY_MACRO,
    WB_ENTITY_INCLUDE, /* and using-directives and the like: in every later cell */
    WB_ENTITY_UNDEF,   /* #undef: a macro less */
    WB_ENTITY_HIDDEN,  /* can't be had in later cells; `text` says why */
} wb_entity_kind;

/* The reference beside a structured binding. */
#define WB_BINDING "__wb_binding_"

/* Something a cell makes known. All strings are owned. */
typedef struct wb_entity {
    wb_entity_kind kind;
    char *name;       /* without its namespace */
    char *key;        /* two entities with one key replace each other */
    char *open;       /* what has to stand before it in another cell: "namespace a {", extern "C" */
    char *close;      /* and after it */
    char *scope;      /* "a::" */
    char *text;       /* how another cell declares it; NULL for variables */
    char *definition; /* of a kernel or a function of the host: with its body; or NULL */
    char *attach;     /* words: it is also needed where one of these types is; or NULL */
    char *also;       /* further names it brings (enumerators, a tag), blank-separated; or NULL */
    char *signature;  /* one line for people */
    char *type;       /* of variables, once the compiler has said it */
    int line;         /* of `text`, in its cell or header */
    char *symbol;     /* the linker's name of a function that has a library; NULL: not known */
    char *file;       /* the header of the user's that it stands in; NULL: the cell */
    bool required;  /* in every later cell (see WB_ENTITY_INCLUDE), or a macro before an #include */
    bool constant;  /* const, so that the definition has to be made extern */
    bool stateless; /* a lambda without captures: its `text` may stand in for it */
    bool host_side; /* __managed__: the host reads it too */
    bool is_thread; /* thread_local */
    bool is_binding;   /* of "auto [a, b]": other cells use the reference WB_BINDING a */
    bool tagged;       /* a variable whose symbol is mangled, for its type has an ABI tag */
    bool announced;    /* `text` is a prototype, and `definition` stood further down */
    bool device;       /* a function with code for the device */
    size_t start, end; /* its bytes in its cell */
    bool after_use;    /* earlier pieces of its cell use the one before (redefine/before.h) */
    size_t branch;     /* of a variable inside #if ... #endif: its name's place, not 0 */
    long chain; /* all that replace each other in code that runs (redefine/chains.h); 0: none */
} wb_entity;

typedef enum wb_item_kind {
    WB_ITEM_DECLARATION,
    WB_ITEM_STATEMENT,
    WB_ITEM_EXPRESSION /* the last one, without a semicolon */
} wb_item_kind;

/* A piece of the cell, in order. */
typedef struct wb_item {
    wb_item_kind kind;
    size_t start, end; /* bytes of the cell */
    int line, column;  /* of start; from 1 and 0 */
    const char *file;  /* that the line is of, borrowed; NULL: the cell */
} wb_item;

/* Replaces [at, at + len) of the cell where the cell itself is compiled. Ascending. */
typedef struct wb_edit {
    size_t at, len;
    char *with;
} wb_edit;

/* A piece whose reading hangs on a name that neither the cell nor the notebook knows. */
typedef struct wb_guess {
    char *name; /* owned; "a::b" */
    bool type;  /* it was read as if that were a type */
    bool plain; /* the grammar, which knows no names, reads it so, too */
    size_t start, end;
} wb_guess;

typedef struct wb_split {
    wb_item *items;
    size_t n_items;
    wb_entity *entities;
    size_t n_entities;
    wb_edit *edits;
    size_t n_edits;
    wb_guess *guesses;
    size_t n_guesses;
    bool has_main; /* a complete program */
    bool lost;     /* ... between declarations, so that some may not be known */
} wb_split;

/* What the splitter has to ask about names of earlier cells (of "a::b" as wb_entity_means): 'v' a
 * variable, 'a' an array, 's' one that is static, 'd' one of the device, 'k' a constant, 'f' a
 * function, a kernel or a template of them, 't' a type, 'm' a macro that is a statement (do ...
 * while, a block), 'c' another macro or an enumerator, 0 unknown. */
typedef int (*wb_split_ask)(void *ctx, const char *name, size_t len);

/* The #define of a macro of earlier cells, or NULL. */
typedef const char *(*wb_split_macro)(void *ctx, const char *name, size_t len);

/* Where variables stand that have the name of a function of a header's (ambiguous.h). */
#define WB_ASIDE "__wb_aside"
enum { WB_SPLIT_ASIDE = 0x80 }; /* with 'v', 'a' or 's': it stands there */

/* What "a::b" is, as far as the entity knows: 't' a type, 'v' a value, 0: another's, or unknown. */
int wb_entity_means(const wb_entity *e, const char *name);
bool wb_split_is_variable(int kind);            /* 'v', 'a' or 's' */
int wb_entity_shape(const wb_entity *variable); /* which of them */

/* Returns false only if memory ran out. Free with wb_split_free. `ask` and `macro` may be NULL. */
bool wb_split_cell(const char *code, size_t len, wb_split_ask ask, wb_split_macro macro, void *ctx,
                   wb_split *split);
/* Where the ';' is missing of a class, an enum or a union that is the last thing in the cell:
 * behind its '}'; 0: nowhere. What follows it on the last line, `} p`, is C++'s declarator. */
size_t wb_split_unclosed(const char *code, size_t len);
void wb_split_free(wb_split *split);
void wb_entity_free(wb_entity *entity);

/* Whether a macro (its #define) stands for a statement: a block, do ... while, if. */
bool wb_split_macro_is_statement(const char *define);

/* "complete", "incomplete" or "invalid", from brackets, literals, comments and directives that are
 * open; *depth is how many brackets are. */
const char *wb_split_complete(const char *code, size_t len, int *depth);

#endif
