/* split.h: takes a cell apart with a parser (tree-sitter and its CUDA grammar): declarations that
 * stay at file scope, statements to run, a last expression to show, and what each declaration makes
 * known to later cells. */
#pragma once

#include "runtime/base/scoped.h"
#include "runtime/base/words.h"

typedef enum wb_entity_kind {
    WB_ENTITY_VARIABLE,        /* later cells declare it extern, with the compiler's type */
    WB_ENTITY_DEVICE_VARIABLE, /* __device__, __constant__, __managed__ */
    WB_ENTITY_CONSTANT,        /* usable in constant expressions: its text is repeated */
    WB_ENTITY_FUNCTION,        /* host function: its prototype */
    WB_ENTITY_KERNEL,          /* its prototype; its launch stub is linked */
    WB_ENTITY_SOURCE_FUNCTION, /* __device__, constexpr, auto: its text is repeated */
    WB_ENTITY_TYPE,
    WB_ENTITY_TEMPLATE,
    WB_ENTITY_MACRO,
    WB_ENTITY_INCLUDE, /* also using-directives and the like: in every later cell */
    WB_ENTITY_UNDEF,   /* #undef: removes a macro */
    WB_ENTITY_HIDDEN,  /* unusable in later cells; `text` says why */
} wb_entity_kind;

/* Prefix of the reference to a structured binding. */
#define WB_BINDING "__wb_binding_"

/* Something that a cell makes known. It owns all strings. */
typedef struct wb_entity {
    wb_entity_kind kind;
    char *name;       /* without its namespace */
    char *key;        /* entities with one key replace each other */
    char *open;       /* text before it in another cell: "namespace a {", extern "C" */
    char *close;      /* text after it */
    char *scope;      /* "a::" */
    char *text;       /* its declaration in another cell; NULL for variables */
    char *definition; /* the full text of a kernel or host function, or NULL */
    char *attach;     /* types that need it too, or NULL */
    /* other names that it introduces (enumerators, a tag), blank-separated, or NULL */
    char *also;
    char *signature; /* one line for people */
    char *type;      /* of a variable, once the compiler has deduced it */
    int line;        /* of `text`, in its cell or header */
    char *symbol;    /* the linker's name of a linked function; NULL: unknown */
    char *file;      /* the user's header that has it; NULL: the cell */
    char *remark;    /* the comment above it, or NULL */
    bool required;  /* in every later cell (see WB_ENTITY_INCLUDE), or a macro before an #include */
    bool constant;  /* const, so that the definition must become extern */
    bool stateless; /* a lambda without captures, for which its `text` can be used */
    bool host_side; /* __managed__: the host reads it too */
    bool is_thread; /* thread_local */
    bool is_binding;   /* of "auto [a, b]": other cells use the reference WB_BINDING a */
    bool tagged;       /* a variable with a mangled symbol, because its type has an ABI tag */
    bool announced;    /* `text` is a prototype, and `definition` came later */
    bool device;       /* a function with device code */
    size_t start, end; /* its bytes in its cell */
    bool after_use;    /* earlier pieces of its cell use the previous one (redefine/before.h) */
    size_t branch;     /* of a variable inside #if ... #endif: its name's place, not 0 */
    /* shared by all that replace each other in running code (redefine/chains.h); 0: none */
    long chain;
} wb_entity;

/* Returns true for a function or a kernel that other cells link to. */
static inline bool wb_entity_is_linked(const wb_entity *e) {
    return e->kind == WB_ENTITY_FUNCTION || e->kind == WB_ENTITY_KERNEL;
}

static inline bool wb_entity_same_name(const wb_entity *a, const wb_entity *b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->scope, b->scope) == 0;
}

typedef enum wb_item_kind {
    WB_ITEM_DECLARATION,
    WB_ITEM_STATEMENT,
    WB_ITEM_EXPRESSION /* the last one, without a semicolon */
} wb_item_kind;

/* A piece of the cell. Pieces are in order. */
typedef struct wb_item {
    wb_item_kind kind;
    size_t start, end; /* bytes of the cell */
    int line, column;  /* of start; from 1 and 0 */
    const char *file;  /* the file of that line, borrowed; NULL: the cell */
} wb_item;

/* Replaces [at, at + len) when the cell is compiled. Ascending. */
typedef struct wb_edit {
    size_t at, len;
    char *with;
} wb_edit;

/* A piece whose reading depends on a name that neither the cell nor the notebook knows. */
typedef struct wb_guess {
    char *name; /* owned; "a::b" */
    bool type;  /* it was read as if the name were a type */
    bool plain; /* the grammar, which knows no names, reads it the same way */
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
    bool lost;     /* parsing failed between declarations, so some may be missing */
} wb_split;

/* Goes through a split's entities: for (WB_ENTITIES(e, split)) ... */
#define WB_ENTITIES(e, split)                                                                      \
    wb_entity *e = (split)->entities, *e##_end = e ? e + (split)->n_entities : e;                  \
    e < e##_end;                                                                                   \
    e++

/* The names that earlier cells made known. Both functions may be NULL. */
typedef struct wb_splitting {
    /* Returns what a name is (for "a::b" see wb_entity_means): 'v' a variable, 'a' an array, 's' a
     * static variable, 'd' a device variable, 'k' a constant, 'f' a function, a kernel or a
     * template of them, 't' a type, 'm' a macro that is a statement (do ... while, a block), 'c'
     * another macro or an enumerator, 0 unknown. */
    int (*ask)(void *ctx, const char *name, size_t len);
    /* Returns the #define of a macro, or NULL. */
    const char *(*macro)(void *ctx, const char *name, size_t len);
    void *ctx;
} wb_splitting;

/* The namespace for variables that have the name of a header's function (ambiguous.h). */
#define WB_ASIDE "__wb_aside"
enum { WB_SPLIT_ASIDE = 0x80 }; /* flag for 'v', 'a' or 's': it is in that namespace */

/* Returns what "a::b" is as far as the entity shows: 't' a type, 'v' a value, 0: unknown. */
int wb_entity_means(const wb_entity *e, const char *name);
bool wb_split_is_variable(int kind);            /* 'v', 'a' or 's' */
int wb_entity_shape(const wb_entity *variable); /* returns which of them */

/* Returns false only if memory ran out. Free with wb_split_free. `how` may be NULL. */
bool wb_split_cell(const char *code, size_t len, const wb_splitting *how, wb_split *split);
/* Returns where the ';' is missing after a class, an enum or a union at the end of the cell: after
 * its '}'; 0: nowhere. Text after it on the last line, `} p`, is C++'s declarator. */
size_t wb_split_unclosed(const char *code, size_t len);
void wb_split_free(wb_split *split);
/* A wb_split that is freed where its block ends. */
#define WB_SCOPED_SPLIT __attribute__((cleanup(wb_split_free)))
void wb_entity_free(wb_entity *entity);
/* Makes the entity unusable in later cells. Takes over the reason. */
void wb_entity_hide(wb_entity *entity, char *why);

/* Returns true if a macro (its #define) is a statement: a block, do ... while, if. */
bool wb_split_macro_is_statement(const char *define);

/* Returns "complete", "incomplete" or "invalid", from open brackets, literals, comments and
 * directives. *depth is the number of open brackets. */
const char *wb_split_complete(const char *code, size_t len, int *depth);
